#!/bin/sh
# PostgreSQL with one database and one user, both called site. The first start makes them, with the
# password in DATABASE_PASSWORD_FILE; a start that is interrupted begins again.
set -eu

fail() {
    printf '%s\n' "$*" >&2
    exit 1
}

home=/var/lib/postgresql
data=$home/data
version=$(postgres --version | sed 's/.*) \([0-9]*\).*/\1/')

[ -w "$home" ] || fail "$home cannot be written by user $(id -u): mount a volume of that user."
if ! [ -s "$data/PG_VERSION" ]; then
    [ -r "${DATABASE_PASSWORD_FILE:-}" ] || fail "DATABASE_PASSWORD_FILE must name a file to read."
    password=$(cat "$DATABASE_PASSWORD_FILE")
    case $password in
        "" | *[!A-Za-z0-9_-]*) fail "The password may have letters, digits, - and _ only." ;;
    esac
    rm -rf "$home/new"
    initdb --pgdata "$home/new" --encoding UTF8 --locale C.UTF-8 --data-checksums --auth peer >/dev/null
    {
        echo 'local all  postgres     peer'
        echo 'host  site site     all scram-sha-256'
    } >"$home/new/pg_hba.conf"
    {
        echo "CREATE ROLE site LOGIN PASSWORD '$password'"
        echo 'CREATE DATABASE site OWNER site'
    } | postgres --single -D "$home/new" postgres >/dev/null
    mv "$home/new" "$data"
fi

found=$(cat "$data/PG_VERSION")
[ "$found" = "$version" ] || fail "The data are of PostgreSQL $found, and this is $version: dump them" \
    "with an image of the former base, and restore the dump into a new volume."

exec postgres -D "$data" -c listen_addresses='*' -c unix_socket_directories=/tmp \
    -c shared_buffers="${SHARED_BUFFERS:-256MB}" -c dynamic_shared_memory_type=mmap "$@"
