#!/bin/sh
# Bring the site that runs here to the version of this checkout, whose images are built:
# `make upgrade-site BACKUPS=/var/backups/board VERSION=v1.1`. The earlier version serves on until
# the end, and still does where anything is not as it was.
set -eu
cd "$(dirname "$0")"

fail() {
    printf '%s\n' "$*" >&2
    exit 1
}

[ "$(id -u)" = 0 ] || fail "Run this as root: the secrets are given to the users of the containers."
[ -e site.env ] || fail "There is no site here yet: make up HOST=board.example ADMIN=you@example.org"
[ -n "${BACKUPS:-}" ] && [ -d "$BACKUPS" ] ||
    fail "BACKUPS=DIR is needed: the folder of all backups, which belongs to 10001."
backups=$(cd "$BACKUPS" && pwd)

run() {
    ${COMPOSE:-docker compose} --profile manage run --rm --no-deps -T --volume "$backups:/backups" "$@" >&2
}

sh ./secrets.sh "$(sed -n 's/^ALLOWED_HOSTS=\([^,]*\).*/\1/p' site.env)"  # new ones
former=
if run --entrypoint /app/docker/move-files.sh manage left; then
    run --entrypoint /app/docker/move-files.sh manage copy  # what comes later is copied by up.sh
    former="--env STORAGE_DIR=/data/storage"  # where all of them are until then
fi
run $former manage upgrade /backups || fail "The site runs on as it was: go back to its version with git checkout."
exec sh ./up.sh
