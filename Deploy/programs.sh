#!/bin/sh
# Takes programs out of a Debian package into a folder, without installing it: for tests, where the package would set up a
# server that starts by itself. programs.sh FOLDER PACKAGE PROGRAM…
set -eu

folder=$1 package=$2
shift 2

missing=""
for name in "$@"; do
  [ -x "$folder/$name" ] || missing="$missing ./usr/bin/$name"
done
[ -z "$missing" ] && exit 0

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
echo "unpacking $package"
# As root apt says that it could not become another user for a folder of root's; that is what is left out.
(cd "$scratch" && apt-get download --quiet=2 "$package" 2>errors) || { cat "$scratch/errors" >&2; exit 1; }
# shellcheck disable=SC2086 # the list is meant to be split
dpkg-deb --fsys-tarfile "$scratch"/*.deb | tar --extract --directory "$folder" --strip-components 3 $missing
