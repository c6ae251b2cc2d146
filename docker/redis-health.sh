#!/bin/sh
# Whether Redis answers to its password.
REDISCLI_AUTH=$(sed -n 's/^requirepass //p' /run/secrets/redis_password)
export REDISCLI_AUTH
[ "$(redis-cli ping)" = PONG ]
