#!/bin/sh
# Make the virtual environment $1 with $PYTHON, and see that the system has what is needed; with
# “tests” as $2 also what only the tests need.
# As root on Debian the missing pieces are installed; anyone else is told the command.
set -eu
venv=$1
purpose=${2:-site}
python=${PYTHON:-python3}

say() { printf '%s\n' "$*" >&2; }

if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    say "Python 3.11 or newer is needed, and “$python” is not that."
    say "Name another one:  make PYTHON=/path/to/python3.11 …"
    exit 1
fi

if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        say "installing python3-venv with apt-get …"
        apt-get update -qq && apt-get install -y -qq python3-venv >/dev/null
    else
        say "This Python cannot make virtual environments. On Debian or Ubuntu:"
        say "    sudo apt-get install python3-venv"
        exit 1
    fi
fi

if ! mkdir -p "$venv" 2>/dev/null || ! [ -w "$venv" ]; then
    say "$(pwd)/$venv cannot be written by $(id -un): start as its owner, or in a copy of your own."
    exit 1
fi

# An environment whose Python is gone is made anew.
if ! "$venv/bin/python" -c 'import pip' 2>/dev/null; then
    say "making the virtual environment $venv …"
    rm -rf "$venv"
    "$python" -m venv "$venv"
fi

# Without it the scorer's box falls back to a weaker level, and its tests are skipped aloud.
if ! command -v bwrap >/dev/null; then
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        say "installing bubblewrap with apt-get …"
        { apt-get update -qq && apt-get install -y -qq bubblewrap >/dev/null; } ||
            say "bubblewrap could not be installed; going on without it."
    else
        say "For the scorer's strongest sandbox:  sudo apt-get install bubblewrap"
    fi
fi

# The browser tests drive it.
if [ "$purpose" = tests ] && ! command -v chromium >/dev/null; then
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        say "installing chromium with apt-get (about a minute) …"
        { apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium >/dev/null; } ||
            say "chromium could not be installed; the browser tests will be skipped."
    else
        say "For the browser tests:  sudo apt-get install chromium"
    fi
fi
