#!/bin/sh
# What a container of the site does: web, worker QUEUE, sweep, or a command of manage.py.
# Nothing is waited for: what is missing ends the container with a sentence, and the engine starts
# it again.
set -eu

fail() {
    printf '%s\n' "$*" >&2
    exit 1
}

[ "$(id -u)" != 0 ] || fail "Do not run the site as root: its user is 10001."
for folder in "$STATE_DIR" "$STORAGE_DIR"; do
    [ -w "$folder" ] || fail "$folder cannot be written by user $(id -u): mount a volume of that user."
done
for name in $(env | sed -n 's/^\([A-Z][A-Z0-9_]*_FILE\)=.*/\1/p'); do
    file=$(printenv "$name")
    [ -r "$file" ] || fail "$name: $file cannot be read by user $(id -u)."
done

case ${1:-} in
    web)
        # A socket, which the proxy finds again when the container has got another address. On more
        # machines than one: WEB_BIND=0.0.0.0:8000.
        exec gunicorn --config python:portal.gunicorn_conf --bind "${WEB_BIND:-unix:/run/web/http}" \
            --workers "${WEB_CONCURRENCY:-2}" portal.wsgi
        ;;
    worker)
        queue=${2:?worker QUEUE: scoring, runs, mail or imports}
        exec python -m celery -A portal.celery worker --pool solo --queues "$queue" \
            --hostname "$queue@%h" --without-gossip --without-mingle --without-heartbeat
        ;;
    *) exec python manage.py "$@" ;;
esac
