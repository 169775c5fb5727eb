#!/usr/bin/env bash
# Runs the tests of the engine against the real Claude Code and a fake model on loopback.
# Usage: claude_code_test.sh TEST_PROGRAM CACHE_FOLDER       Exits with 77 if there is none.
# If the system allows it, the tests run in a network of their own with nothing but loopback.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
test_program=$1
cache=$2

if [ "${3:-}" != apart ]; then
  claude=$("$here/claude_code.sh" "$cache") || { code=$?; echo "$claude"; exit "$code"; }
  export STENO_TEST_CLAUDE=$claude
  if unshare -rn ip link set lo up 2>/dev/null; then
    exec unshare -rn "$0" "$test_program" "$cache" apart
  fi
  exec "$0" "$test_program" "$cache" apart
fi

ip link set lo up 2>/dev/null || true
STENO_TEST_FOLDER=$(mktemp -d)
export STENO_TEST_FOLDER
# It prints its port once connections are accepted.
exec 3< <(exec python3 "$here/../support/fake_model_server.py" --lifetime 400)
server=$!
cleanup() {
  kill "$server" 2>/dev/null || true
  rm -rf "$STENO_TEST_FOLDER"
}
trap cleanup EXIT
read -r STENO_TEST_MODEL_PORT <&3
export STENO_TEST_MODEL_PORT
"$test_program" --durations yes
