#!/bin/sh
# The console's page without a browser: its types, then its pure parts. `sh Tests/ConsoleTests/run.sh`
# From Debian: nodejs (18 or newer), esbuild, libjs-codemirror, node-typescript, node-preact.
set -eu
tests=$(cd "$(dirname "$0")" && pwd)
page=$tests/../../Sources/Server/HearthConsole/Page
# Text is text: nothing of the page makes markup, styles or programs of what it was given.
if grep -rnE 'innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|document\.write|createContextualFragment|\beval\(|new Function|style="|javascript:' \
    --include='*.ts' --include='*.tsx' --include='*.html' "$page"; then
  echo "these lines make markup or programs from text" >&2
  exit 1
fi
tsc -p "$page"
bundles=$(mktemp -d)
trap 'rm -rf "$bundles"' EXIT
NODE_PATH=/usr/share/nodejs esbuild "$tests"/*.test.ts --bundle --platform=node --format=esm --out-extension:.js=.mjs --outdir="$bundles" --log-level=warning
PAGE=$page node --test "$bundles"
