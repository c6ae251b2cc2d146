#!/bin/sh
# In a container of the site: what versions before the volume `files` kept in /data/storage goes to
# /files. `left` says whether there is anything; `finish` copies it, and removes the former folder.
set -eu

from=/data/storage
to=$STORAGE_DIR

copy() {
    umask 027
    cd "$from"
    # Each under another name until it is whole: an interruption leaves nothing that looks like it.
    find . -type f -exec sh -c '
        for file; do
            [ -e "$0/$file" ] && continue
            mkdir -p "$0/${file%/*}"
            cp -p "$file" "$0/$file.moving"
            chmod g+r "$0/$file.moving"  # the proxy reads it
            mv "$0/$file.moving" "$0/$file"
        done' "$to" {} +
    cd /
}

case ${1:-} in
    left) [ -d "$from" ] && [ "$to" != "$from" ] ;;
    finish) copy && rm -r "$from" ;;
    *) echo "move-files.sh left|finish" >&2 && exit 1 ;;
esac
