#!/usr/bin/env bash
# Installs the real Claude Code, pinned, into a cache folder and prints the path of its program.
# Usage: [STENO_CLAUDE=2.1.N] tests/interop/claude_code.sh [FOLDER]      (default: build/interop)
# STENO_CLAUDE chooses another version than the pinned one, to try the tests with it.
# Exits with 77 and one line "SKIPPED: why" on stdout if it cannot be installed. It is proprietary
# and therefore never part of this repository.
set -euo pipefail

readonly reports=${STENO_CLAUDE:-2.1.329}  # the version that the program prints
readonly patch=${reports##*.}
readonly last_script=112  # so far the program was a script, and had a package of its own
folder=${1:-build/interop}

skip() {
  echo "SKIPPED: $1"
  exit 77
}

case "$(uname -s)-$(uname -m)" in
  Linux-x86_64) readonly platform=linux-x64 ;;
  Linux-aarch64) readonly platform=linux-arm64 ;;
  *) skip "no pinned Claude Code for $(uname -s) on $(uname -m)" ;;
esac

mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
readonly home=$folder/claude-$reports
readonly packages=$home/node_modules/@anthropic-ai
if ((patch <= last_script)); then
  readonly package=@anthropic-ai/claude-code@$reports
  readonly program=$packages/claude-code/cli.js
  readonly omitted=(--omit=optional)
else
  readonly package=@anthropic-ai/claude-agent-sdk@0.3.$patch  # its platform's package has the program
  readonly program=$packages/claude-agent-sdk-$platform/claude
  readonly omitted=()
fi

# A HOME of its own, so that neither npm nor the program touches the user's.
reported_version() {
  env -i PATH="$PATH" HOME="$folder/home" DISABLE_AUTOUPDATER=1 timeout 60 "$program" --version
}

# Two tests that need it at the same time install it once.
exec 9>"$folder/lock"
flock 9
mkdir -p "$folder/home"

if ! [ -x "$program" ] || ! [[ "$(reported_version 2>/dev/null)" == "$reports"* ]]; then
  command -v npm >/dev/null || skip "npm is not installed"
  rm -rf "$home"
  mkdir -p "$home"
  HOME=$folder/home timeout 900 npm install --prefix "$home" --ignore-scripts "${omitted[@]}" \
    --no-audit --no-fund --save-exact "$package" \
    >"$folder/npm.log" 2>&1 || skip "npm did not install it; see $folder/npm.log"
  [ -x "$program" ] || skip "the package for $platform was not installed"
  [[ "$(reported_version)" == "$reports"* ]] || skip "the installed program does not run here"
fi

echo "$program"
