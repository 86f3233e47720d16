#!/bin/sh
# Gives a CI job a sandbox with test accounts: installs athlete-sync, starts the sandbox in the background, logs in
# without a browser, and fills the accounts. action.yml and gitlab.yml run it; so can any other CI system:
#
#   sh sandbox.sh DIR && . DIR/env    ...and at the end of the job: kill "$(cat DIR/pid)"
#
# DIR holds everything that the job needs: the program, unless DIR/node_modules has it already, its configuration and
# state, the log of requests. Options are variables, because text that a shell never parses cannot become a command:
#
#   SANDBOX_VERSION   version to install (default: the version that this file belongs to)
#   SANDBOX_PLATFORM  kind of platform to emulate: coach-watts or interface (default: coach-watts)
#   SANDBOX_ACCOUNTS  how many accounts get a login and data, 1 to 3 (default: 1)
#   SANDBOX_DAYS      days of data in each account; 0 for none (default: 30)
#   SANDBOX_SEED      which athlete: the first account gets this seed, the next ones the following (default: 1)
#   SANDBOX_UNTIL     the last day (default: today)
#   SANDBOX_TZ        time zone of the data (default: the machine's)
set -eu

# Longest wait for the sandbox (tenths of a second).
READY_LIMIT=600
# Lifetime of the logins (s): 5 days, the longest that a job may take on GitHub.
LOGIN_TTL=432000

main() {
  [ $# -eq 1 ] || fail 2 "Usage: sandbox.sh DIR"
  # Other users of the machine may not read the logins.
  umask 077
  read_options
  mkdir -p "$1"
  dir=$(cd "$1" && pwd)
  [ ! -e "$dir/pid" ] || fail 2 "$dir has a sandbox already. Name another folder."
  export PATH="$dir/node_modules/.bin:$PATH"
  export SYNC_CONFIG_DIR="$dir/config" SYNC_STATE_DIR="$dir/state"
  [ -e "$dir/node_modules/.bin/athlete-sync" ] || install
  start
  log_in
  [ "$days" -eq 0 ] || seed
  publish
  trap - EXIT
}

read_options() {
  platform=${SANDBOX_PLATFORM:-}
  accounts=${SANDBOX_ACCOUNTS:-1}
  days=${SANDBOX_DAYS:-30}
  seed=${SANDBOX_SEED:-1}
  until=${SANDBOX_UNTIL:-}
  zone=${SANDBOX_TZ:-}
  # The program checks what it gets. These characters can neither start a line nor a command of a CI system.
  only '0-9A-Za-z.-' SANDBOX_VERSION "${SANDBOX_VERSION:-}"
  only 'a-z-' SANDBOX_PLATFORM "$platform"
  only '0-9' SANDBOX_DAYS "$days"
  only '0-9' SANDBOX_SEED "$seed"
  only '0-9A-Za-z-' SANDBOX_UNTIL "$until"
  only '0-9A-Za-z_/+-' SANDBOX_TZ "$zone"
  case $accounts in
    [123]) ;;
    *) fail 2 "SANDBOX_ACCOUNTS (input accounts) is not 1, 2 or 3." ;;
  esac
  # $(( )) would read it as octal.
  case $seed in
    0?*) fail 2 "SANDBOX_SEED (input seed) begins with 0." ;;
  esac
}

# only CHARACTERS VARIABLE VALUE: fails if the value has others. The value is not repeated.
only() {
  case $3 in
    *[!$1]*)
      input=$(echo "${2#SANDBOX_}" | tr '[:upper:]' '[:lower:]')
      fail 2 "$2 (input $input) has characters other than [$1]."
      ;;
  esac
}

install() {
  command -v npm >/dev/null || fail 2 "npm is missing. Install Node.js first: actions/setup-node, or the image node:22."
  version=${SANDBOX_VERSION:-}
  if [ -z "$version" ]; then
    version=$(node -p 'require(process.argv[1]).version' "$(cd "$(dirname "$0")/../.." && pwd)/package.json")
  fi
  npm install --prefix "$dir" --no-audit --no-fund --ignore-scripts "athlete-sync@$version" ||
    fail 1 "npm could not install athlete-sync $version."
}

# Sets pid, SYNC_BASE_URL and SYNC_CLIENT_ID.
start() {
  set -- --port 0 --wait-ready "$dir/ready" --log "$dir/requests.ndjson"
  [ -z "$platform" ] || set -- "$@" "--platform=$platform"
  athlete-sync sandbox "$@" </dev/null >"$dir/sandbox.log" 2>&1 &
  pid=$!
  echo "$pid" >"$dir/pid"
  trap 'kill "$pid" 2>/dev/null || true' EXIT
  trap 'exit 130' INT TERM HUP
  waited=0
  until [ -e "$dir/ready" ]; do
    if ! kill -0 "$pid" 2>/dev/null; then
      code=0
      wait "$pid" || code=$?
      cat "$dir/sandbox.log" >&2
      fail "$((code == 0 ? 1 : code))" "The sandbox did not start."
    fi
    [ "$waited" -lt "$READY_LIMIT" ] || fail 5 "The sandbox did not answer within $((READY_LIMIT / 10)) s."
    waited=$((waited + 1))
    sleep 0.1
  done
  # shellcheck source=/dev/null
  . "$dir/ready"
  echo "The sandbox answers at $SYNC_BASE_URL."
}

# Gets a login for each account, and lists them for `sync seed`. The tokens are in variables and in DIR, and never in an
# argument of a command: every user of the machine can list those.
log_in() {
  tokens=
  list=
  account=1
  while [ "$account" -le "$accounts" ]; do
    token=$(mint "athlete-$account") || fail 5 "The sandbox issued no login for athlete-$account."
    [ -z "${GITHUB_ACTIONS:-}" ] || echo "::add-mask::$token"
    variable=SYNC_ACCESS_TOKEN
    [ "$account" -eq 1 ] || variable=SYNC_ACCESS_TOKEN_$account
    export "$variable=$token"
    tokens="$tokens$variable=$token
"
    list="$list${list:+,}
  {\"name\": \"athlete-$account\", \"accessTokenEnv\": \"$variable\", \"seed\": $((seed + account - 1))}"
    account=$((account + 1))
  done
  echo "[$list
]" >"$dir/accounts.json"
}

# mint ATHLETE: prints the token of a new login.
mint() {
  # shellcheck disable=SC2016 # These are dollars of JavaScript.
  node --input-type=module -e '
    const [athlete, ttl] = process.argv.slice(1);
    const answer = await fetch(`${process.env.SYNC_BASE_URL}/_sandbox/tokens`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ athlete, accessTtl: Number(ttl) }),
    });
    if (!answer.ok) throw new Error(await answer.text());
    console.log((await answer.json()).access_token);
  ' "$1" "$LOGIN_TTL"
}

seed() {
  set -- "--accounts=$dir/accounts.json" "--days=$days"
  [ -z "$until" ] || set -- "$@" "--until=$until"
  [ -z "$zone" ] || set -- "$@" "--tz=$zone"
  athlete-sync seed "$@"
}

# Hands the variables to the rest of the job: in DIR/env for a shell, and in the files of GitHub Actions.
publish() {
  variables="SYNC_BASE_URL=$SYNC_BASE_URL
SYNC_CLIENT_ID=$SYNC_CLIENT_ID
SYNC_CONFIG_DIR=$SYNC_CONFIG_DIR
SYNC_STATE_DIR=$SYNC_STATE_DIR
$tokens"
  {
    printf '%s' "$variables" | sed "s/'/'\\\\''/g; s/\([^=]*\)=\(.*\)/export \1='\2'/"
    echo "$dir/node_modules/.bin" | sed "s/'/'\\\\''/g; s/.*/export PATH='&':\"\$PATH\"/"
  } >"$dir/env"
  [ -z "${GITHUB_ENV:-}" ] || printf '%s' "$variables" >>"$GITHUB_ENV"
  [ -z "${GITHUB_PATH:-}" ] || echo "$dir/node_modules/.bin" >>"$GITHUB_PATH"
  [ -z "${GITHUB_OUTPUT:-}" ] || {
    echo "base-url=$SYNC_BASE_URL"
    echo "client-id=$SYNC_CLIENT_ID"
    echo "requests=$dir/requests.ndjson"
  } >>"$GITHUB_OUTPUT"
}

# fail CODE MESSAGE
fail() {
  [ -z "${GITHUB_ACTIONS:-}" ] || echo "::error title=athlete-sync::$2"
  echo "athlete-sync: $2" >&2
  exit "$1"
}

main "$@"
