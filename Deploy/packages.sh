#!/bin/sh
# Installs the Debian packages that Hearth is built with and those that are named, if they are missing.
set -eu

needed="git libc6-dev libstdc++-12-dev libssl-dev libjwt-dev libre2-dev libsqlite3-dev"
needed="$needed libcurl4-openssl-dev libargon2-dev libfido2-dev libzstd-dev libpq-dev libcrypt-dev libxmlsec1-dev pkg-config python3-venv ca-certificates curl openssl"
# The console's page is bundled from these; see Sources/Server/HearthConsole/bundle.py.
needed="$needed zlib1g-dev esbuild node-preact libjs-codemirror fonts-inter fonts-jetbrains-mono python3-fonttools python3-brotli $*"

missing=""
for name in $needed; do
  dpkg-query --show --showformat='${db:Status-Status}\n' "$name" 2>/dev/null | grep -qx installed || missing="$missing $name"
done
[ -z "$missing" ] && exit 0

if [ "$(id -u)" = 0 ]; then
  become=""
elif command -v sudo >/dev/null 2>&1; then
  become="sudo"
else
  echo "Hearth needs these Debian packages. As root, run:" >&2
  echo "  apt-get install --yes$missing" >&2
  exit 1
fi
# Servers that tests start themselves: none is set up or started with its package.
case "$missing" in *" slapd"*) echo "slapd slapd/no_configuration boolean true" | $become debconf-set-selections ;; esac
case "$missing" in *" postgresql"*)
  $become mkdir -p /etc/postgresql-common/createcluster.d
  echo "create_main_cluster = false" | $become tee /etc/postgresql-common/createcluster.d/hearth.conf >/dev/null ;;
esac
for server in etcd-server nginx caddy; do
  case "$missing " in *" $server "*)
    $become mkdir -p /etc/systemd/system
    $become ln -sf /dev/null "/etc/systemd/system/${server%-server}.service" ;;
  esac
done
echo "installing$missing"
$become apt-get update --quiet=2
# shellcheck disable=SC2086 # the list is meant to be split
DEBIAN_FRONTEND=noninteractive $become apt-get install --yes --quiet=2 --no-install-recommends $missing >/dev/null
