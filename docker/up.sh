#!/bin/sh
# Bring the site up: `make up HOST=board.example ADMIN=you@example.org` the first time, then `make up`.
set -eu
cd "$(dirname "$0")"

fail() {
    printf '%s\n' "$*" >&2
    exit 1
}

say() { printf '%s\n' "$*" >&2; }

# The engine's own progress is for people; podman-compose prints it on standard output.
compose() { ${COMPOSE:-docker compose} "$@" >&2; }

# Until the command in the container $1 succeeds, for two minutes.
until_healthy() {
    service=$1
    shift
    for _ in $(seq 60); do
        ! ${COMPOSE:-docker compose} exec -T "$service" "$@" >/dev/null 2>&1 || return 0
        sleep 2
    done
    fail "$service does not get ready. What it says:  cd docker && ${COMPOSE:-docker compose} logs $service"
}

[ "$(id -u)" = 0 ] || fail "Run this as root: the secrets are given to the users of the containers."
if ! [ -e site.env ]; then
    [ -n "${HOST:-}" ] && [ -n "${ADMIN:-}" ] ||
        fail "The first start needs names:  make up HOST=board.example ADMIN=you@example.org"
    sed "s/board\.example/$HOST/g" site.env.example >site.env.new
    mv site.env.new site.env
fi
sh ./secrets.sh "$(sed -n 's/^ALLOWED_HOSTS=\([^,]*\).*/\1/p' site.env)"

# In this order, and one after the other, since not every engine waits for healthy services.
compose up -d --no-deps database redis
until_healthy database pg_isready -q -h /tmp
until_healthy redis redis-health
# Versions before the volume `files` kept them elsewhere. None may arrive while the last are moved.
files="run --rm --no-deps -T --entrypoint /app/docker/move-files.sh migrate"
if compose $files left 2>/dev/null; then
    say "moving files into their volume …"
    compose stop web scoring runs imports mail sweeper
    compose $files finish
fi
say "bringing the database up to date …"
compose run --rm --no-deps -T migrate
compose up -d --no-deps web scoring runs imports mail sweeper
until_healthy web python3 -IS /app/docker/health.py web
compose up -d --no-deps proxy

say "the site is up."
${COMPOSE:-docker compose} exec -T web python3 -IS /app/docker/health.py ready || true
[ -z "${ADMIN:-}" ] || ${COMPOSE:-docker compose} exec -T web /app/docker/entry.sh invite_admin "$ADMIN"
