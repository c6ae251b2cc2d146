#!/bin/sh
# Make the secrets that are missing in the folder secrets, for the users of the containers; never
# touch one that is there. $1 is the name of the site, for a certificate that browsers do not trust.
set -eu
cd "$(dirname "$0")"
umask 077
mkdir -p secrets
cd secrets

SITE=10001 DATABASE=10002 REDIS=10003 PROXY=10004

random() { od -An -N32 -tx1 /dev/urandom | tr -d ' \n'; }

# The secret $1 for the user $2, from standard input; moved into place whole.
store() {
    cat >"$1.new"
    chown "$2:$2" "$1.new"
    mv "$1.new" "$1"
}

missing() { ! [ -e "$1" ]; }

! missing secret_key || random | store secret_key $SITE
! missing endpoint_key_secrets || random | store endpoint_key_secrets $SITE
! missing second_factor_secrets || random | store second_factor_secrets $SITE
! missing metrics_token || random | store metrics_token $SITE
# Made elsewhere, if they are needed at all.
for name in email_password s3_access_key_id s3_secret_access_key; do
    ! missing $name || printf '' | store $name $SITE
done
! missing database_password || random | store database_password $DATABASE
! missing database_url ||
    printf 'postgresql://site:%s@database:5432/site\n' "$(cat database_password)" | store database_url $SITE
! missing redis_password || printf 'requirepass %s\n' "$(random)" | store redis_password $REDIS
password=$(sed 's/^requirepass //' redis_password)
! missing broker_url || printf 'redis://:%s@redis:6379/0\n' "$password" | store broker_url $SITE
! missing cache_url || printf 'redis://:%s@redis:6379/1\n' "$password" | store cache_url $SITE
if missing certificate || missing certificate_key; then
    openssl req -x509 -newkey rsa:2048 -nodes -days 90 -subj "/CN=$1" -addext "subjectAltName=DNS:$1" \
        -keyout certificate_key.made -out certificate.made 2>/dev/null
    store certificate_key $PROXY <certificate_key.made
    store certificate $PROXY <certificate.made
    rm certificate_key.made certificate.made
    printf '%s\n' "The certificate is one that browsers do not trust: replace docker/secrets/certificate" \
        "and certificate_key (docs/deployment.md)." >&2
fi
