#!/bin/sh
# Make the virtual environment $1 with $PYTHON. With "site" as $2 also see that the system has the
# programs that the site uses, with "tests" those that the tests start besides.
# As root on Debian missing packages are installed; anybody else gets the command.
set -eu
PATH="$PATH:/usr/sbin:/sbin"
venv=$1
purpose=${2:-}
python=${PYTHON:-python3}

say() { printf '%s\n' "$*" >&2; }

can_install() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; }

install() {  # the package $1
    say "installing $1 with apt-get …"
    # In runlevel 1 Debian starts no service that it installs.
    apt-get update -qq && RUNLEVEL=1 apt-get install -y -qq --no-install-recommends "$1" >/dev/null
}

# The package $2, unless there is the program $1; going on without it means $3.
want() {
    command -v "$1" >/dev/null && return
    if ! can_install; then
        say "$3 without $2. To have it:  sudo apt-get install $2"
    elif ! install "$2"; then
        say "$2 could not be installed: $3."
    fi
}

# Likewise the package $1, unless there is a font with Chinese where portal/web/pictures.py looks.
want_font() {
    for font in /usr/share/fonts/truetype/wqy/wqy-microhei.ttc /System/Library/Fonts/PingFang.ttc \
        /usr/share/fonts/*/*/NotoSansCJK-Regular.ttc /usr/share/fonts/*/NotoSansCJK-Regular.ttc; do
        ! [ -f "$font" ] || return 0
    done
    if ! can_install; then
        say "$2 without $1. To have it:  sudo apt-get install $1"
    elif ! install "$1"; then
        say "$1 could not be installed: $2."
    fi
}

if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    say "Python 3.11 or newer is needed, and “$python” is not that."
    say "Name another one:  make PYTHON=/path/to/python3.11 …"
    exit 1
fi

if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
    if ! can_install; then
        say "This Python cannot make virtual environments. On Debian or Ubuntu:"
        say "    sudo apt-get install python3-venv"
        exit 1
    fi
    install python3-venv
fi

if ! mkdir -p "$venv" 2>/dev/null || ! [ -w "$venv" ]; then
    say "$(pwd)/$venv cannot be written by $(id -un): start as its owner, or in a copy of your own."
    exit 1
fi

# An environment whose Python has gone is made again.
if ! "$venv/bin/python" -c 'import pip' 2>/dev/null; then
    say "making the virtual environment $venv …"
    rm -rf "$venv"
    "$python" -m venv "$venv"
fi

[ "$purpose" ] || exit 0
want bwrap bubblewrap "The scorer runs in a weaker sandbox"
want_font fonts-wqy-microhei "Previews of links have no pictures"
if [ "$purpose" = tests ]; then
    want chromium chromium "The browser tests are skipped"
    want redis-server redis-server "The tests of Redis are skipped"
    want pgbouncer pgbouncer "The tests of pgbouncer are skipped"
    want nginx nginx-light "The tests of slow clients are skipped"
fi
