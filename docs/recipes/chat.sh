#!/bin/sh
# The exec of an alert: posts it to a chat that takes {"text": …} at an address (an incoming webhook of Slack, Mattermost and
# others). The address is a secret: it stands in CHAT_URL, not in the config file. Needs jq and curl.
set -eu
jq -c '{text: "\(.rule): \(.value // "has happened") (\(.at))"}' |
  curl --fail --silent --show-error --max-time 8 --output /dev/null \
    --header 'Content-Type: application/json' --data-binary @- "$CHAT_URL"
