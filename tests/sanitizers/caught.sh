#!/bin/sh
# Usage: caught.sh TEXT PROGRAM. Passes if the program fails and prints the text.
said=$("$2" 2>&1)
code=$?
printf '%s\n' "$said"
[ "$code" -ne 0 ] && printf '%s' "$said" | grep -qF -- "$1"
