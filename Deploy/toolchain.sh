#!/bin/sh
# Checks that a Swift toolchain of at least the given version is on the PATH; says how to install one otherwise.
set -eu

wanted="$1"
found=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9][0-9]*\.[0-9][0-9]*\).*/\1/p' | head -n 1)

older() { # is $1 older than $2?
  [ "$1" != "$2" ] && [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]
}

if [ -z "$found" ] || older "$found" "$wanted"; then
  echo "Hearth needs Swift $wanted or newer; ${found:-none} is on the PATH. This installs one for your user:" >&2
  cat >&2 <<EOF
  curl -fsSL https://download.swift.org/swiftly/linux/swiftly-\$(uname -m).tar.gz | tar -xz && ./swiftly init --assume-yes --skip-install --quiet-shell-followup && . ~/.local/share/swiftly/env.sh && swiftly install --use $wanted
EOF
  exit 1
fi
