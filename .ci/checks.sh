# shellcheck shell=bash
# Sourced by the steps of .ci/run that are made of checks. Each check prints one line, and adds its result to
# the file SYNC_CHECKS, which .ci/run counts.
CHECKS=${SYNC_CHECKS:-$(mktemp)}
checks_failed=0

# check TITLE COMMAND...: passes if the command ends with 0. Its output is shown if it fails.
check() {
  local title=$1 output code
  shift
  # Not as a condition: `set -e` would have no effect in the command.
  output=$("$@" 2>&1 </dev/null)
  code=$?
  if [ "$code" -eq 0 ]; then
    echo "ok: $title"
    echo passed >>"$CHECKS"
  else
    echo "FAILED: $title"
    sed 's/^/  /' <<<"$output"
    echo failed >>"$CHECKS"
    checks_failed=$((checks_failed + 1))
  fi
}

# refuses MESSAGE COMMAND...: passes if the command fails and says so.
refuses() {
  local message=$1 output
  shift
  if output=$("$@" 2>&1); then
    echo "ended with 0: $output"
    return 1
  fi
  grep -F -- "$message" <<<"$output" || { echo "$output"; return 1; }
}

# says TEXT COMMAND...: passes if the command prints the text.
says() {
  local text=$1 output
  shift
  output=$("$@" 2>&1) || { echo "$output"; return 1; }
  grep -F -- "$text" <<<"$output" || { echo "$output"; return 1; }
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}
