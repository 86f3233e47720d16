#!/bin/sh
# What an athlete does with an installed athlete-sync, against its own sandbox: log in, send a ride and a
# morning, have a folder watched. Ends with exit code 0 only if all of it arrived exactly once.
set -eu

work=$(mktemp -d)
cd "$work"
export SYNC_TOKEN_STORE=file SYNC_TIMEZONE=Europe/Berlin
unset SYNC_BASE_URL SYNC_CLIENT_ID

show() {
  echo "\$ $*"
  "$@"
}

# Waits for a condition, 60 s at most.
await() {
  for _ in $(seq 600); do
    if "$@" 2>/dev/null; then return 0; fi
    sleep 0.1
  done
  echo "Waited 60 s for: $*" >&2
  return 1
}

received() {
  curl -fsS "$SYNC_BASE_URL/_sandbox/state" | grep -o '"receivedCount":[0-9]*' | sort | uniq -c | tr -s ' '
}
has_received() { [ "$(received)" = " $1 \"receivedCount\":1" ]; }
# Each of so many recordings, once.
await_received() {
  await has_received "$1" || {
    received
    athlete-sync daemon logs
    return 1
  }
}

athlete-sync sandbox --auto-approve --port 0 --set exactRedirectUris=false --json >sandbox.json &
sandbox=$!
trap 'kill $sandbox; rm -rf "$work"' EXIT
await grep -q '"url"' sandbox.json
SYNC_BASE_URL=$(sed -n 's/.*"url":"\([^"]*\)".*/\1/p;q' sandbox.json)
SYNC_CLIENT_ID=$(sed -n 's/.*"clientId":"\([^"]*\)".*/\1/p;q' sandbox.json)
export SYNC_BASE_URL SYNC_CLIENT_ID

show athlete-sync --version

# curl is the browser: it follows the redirect to the program's listener.
echo '$ athlete-sync login --no-browser'
athlete-sync login --no-browser --port 0 2>login.txt &
login=$!
await grep -q 'http.*authorize' login.txt
curl -fsSL -o /dev/null "$(grep -o 'http[^ ]*authorize[^ ]*' login.txt)"
wait $login
sed -n '$p' login.txt

athlete-sync seed --days 3 --until 2026-05-17 --out data >/dev/null
mkdir Garmin
set -- data/*.fit
[ $# -ge 2 ]
ride=$1
later=$2
show athlete-sync upload "$ride"
show athlete-sync upload "$ride"
await_received 1
echo '{"date":"2026-05-17","hrv":60,"restingHeartRate":47}' >morning.json
show athlete-sync push wellness morning.json

show athlete-sync watch Garmin --daemon
cp "$later" Garmin/
await_received 2
show athlete-sync daemon status
show athlete-sync status
show athlete-sync daemon stop
show athlete-sync logout
