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

id_of() { ${ENGINE:-docker} image inspect --format '{{.Id}}' "$1" 2>/dev/null || true; }

# Service, image and name of the image of each container that is there.
containers() {
    for container in $(${COMPOSE:-docker compose} ps -q 2>/dev/null); do
        ${ENGINE:-docker} inspect "$container" --format \
            '{{index .Config.Labels "com.docker.compose.service"}} {{.Image}} {{.Config.Image}}'
    done
}

# The tag under which the service $1 runs, where this version has the same image; else nothing.
tag_in_use() {
    ours=$(id_of "localhost/infinitebench/$1:${VERSION:-latest}")
    containers | while read -r service image name; do
        [ "$service" = "$1" ] && [ "$image" = "$ours" ] && [ "$(id_of "$name")" = "$ours" ] || continue
        printf '%s\n' "${name##*:}"
        break
    done
}

[ "$(id -u)" = 0 ] || fail "Run this as root: the secrets are given to the users of the containers."
if ! [ -e site.env ]; then
    [ -n "${HOST:-}" ] && [ -n "${ADMIN:-}" ] ||
        fail "The first start needs names:  make up HOST=board.example ADMIN=you@example.org"
    sed "s/board\.example/$HOST/g" site.env.example >site.env.new
    mv site.env.new site.env
fi
sh ./secrets.sh "$(sed -n 's/^ALLOWED_HOSTS=\([^,]*\).*/\1/p' site.env)"

# The tag is all that differs between two versions of these, as a rule: they stay with the former.
DATABASE_VERSION=$(tag_in_use database) REDIS_VERSION=$(tag_in_use redis) PROXY_VERSION=$(tag_in_use proxy)
export DATABASE_VERSION REDIS_VERSION PROXY_VERSION

# In this order, and one after the other, since not every engine waits for healthy services.
compose up -d --no-deps database redis
until_healthy database pg_isready -q -h /tmp
until_healthy redis redis-health
say "bringing the database up to date …"
compose run --rm --no-deps -T migrate
# Workers first: they know the jobs of the earlier web process, and where they do not get ready, it
# serves on. Then the web process has the machine to itself, since pages wait for it.
workers="scoring runs imports mail sweeper"
compose up -d --no-deps $workers
for service in $workers; do
    until_healthy "$service" python3 -IS /app/docker/health.py worker
done
compose up -d --no-deps web
until_healthy web python3 -IS /app/docker/health.py web
compose up -d --no-deps proxy

say "the site is up."
${COMPOSE:-docker compose} exec -T web python3 -IS /app/docker/health.py ready || true
[ -z "${ADMIN:-}" ] || ${COMPOSE:-docker compose} exec -T web /app/docker/entry.sh invite_admin "$ADMIN"
