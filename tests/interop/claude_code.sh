#!/usr/bin/env bash
# Installs the real Claude Code, pinned, into a cache folder and prints the path of its program.
# Usage: tests/interop/claude_code.sh [FOLDER]      (default: build/interop)
# Exits with 77 and one line "SKIPPED: why" on stdout if it cannot be installed. It is proprietary
# and therefore never part of this repository.
set -euo pipefail

readonly version=0.3.329  # of the SDK, whose platform package contains the program
readonly reports=2.1.329  # the version that the program prints
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
readonly packages=$folder/claude-$version/node_modules/@anthropic-ai
readonly program=$packages/claude-agent-sdk-$platform/claude

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
  rm -rf "$folder/claude-$version"
  mkdir -p "$folder/claude-$version"
  HOME=$folder/home timeout 900 npm install --prefix "$folder/claude-$version" --ignore-scripts \
    --no-audit --no-fund --save-exact "@anthropic-ai/claude-agent-sdk@$version" \
    >"$folder/npm.log" 2>&1 || skip "npm did not install it; see $folder/npm.log"
  [ -x "$program" ] || skip "the package for $platform was not installed"
  [[ "$(reported_version)" == "$reports"* ]] || skip "the installed program does not run here"
fi

echo "$program"
