#!/bin/sh
# nginx with nginx.conf, whose names in braces are filled in from the environment.
set -eu

for file in /run/secrets/certificate /run/secrets/certificate_key; do
    [ -r "$file" ] && continue
    printf '%s\n' "$file cannot be read by user $(id -u)." >&2
    exit 1
done
SERVER_NAME=$(printf '%s' "${ALLOWED_HOSTS:?names of the site, separated by commas}" | tr ',' ' ')
LISTEN="8443 ssl http2"
CERTIFICATE=/run/secrets/certificate
KEY=/run/secrets/certificate_key
UPSTREAM=${UPSTREAM:-unix:/run/web/http}
HEADER_TIMEOUT=${HEADER_TIMEOUT:-10s}
BODY_TIMEOUT=${BODY_TIMEOUT:-10s}
UPLOAD_TIMEOUT=${UPLOAD_TIMEOUT:-60s}
SEND_TIMEOUT=${SEND_TIMEOUT:-30s}
FILES=${FILES:-/files}
export SERVER_NAME LISTEN CERTIFICATE KEY UPSTREAM HEADER_TIMEOUT BODY_TIMEOUT UPLOAD_TIMEOUT SEND_TIMEOUT FILES
# Only these: nginx has variables of its own.
envsubst '${SERVER_NAME} ${LISTEN} ${CERTIFICATE} ${KEY} ${UPSTREAM} ${HEADER_TIMEOUT}
    ${BODY_TIMEOUT} ${UPLOAD_TIMEOUT} ${SEND_TIMEOUT} ${FILES}' </etc/site-proxy/nginx.conf >/tmp/site.conf
exec nginx -c /etc/site-proxy/proxy.conf
