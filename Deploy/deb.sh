#!/bin/sh
# Makes a Debian package of a built program: deb.sh PROGRAM FOLDER. Prints the package's path.
#
# Everything in it that says how the program is used (manual pages, completions, the configuration file) is asked of the
# program itself.
set -eu

program=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
here=$(realpath "$(dirname "$0")")
version=$("$program" --version)
architecture=$(dpkg --print-architecture)
name="hearth_${version}_${architecture}"
root="$folder/$name"

rm -rf "$root" "$root.deb"
umask 022
mkdir -p "$root/DEBIAN" "$root/etc/hearth" "$root/usr/share/doc/hearth"

install -D -m 755 "$program" "$root/usr/bin/hearth"
for unit in hearth.service hearth-backup.service hearth-backup.timer; do
  install -D -m 644 "$here/debian/$unit" "$root/lib/systemd/system/$unit"
done
install -m 644 "$here/../LICENSE" "$root/usr/share/doc/hearth/copyright"

"$program" serve --print-config | sed 's|^#data = .*|data = /var/lib/hearth|' >"$root/etc/hearth/hearth.conf"
echo /etc/hearth/hearth.conf >"$root/DEBIAN/conffiles"

"$program" --experimental-dump-help | python3 "$here/debian/manual.py" "$folder/manual" "$version"
for page in "$folder"/manual/*; do
  section=${page##*.}
  mkdir -p "$root/usr/share/man/man$section"
  gzip --best --no-name --stdout "$page" >"$root/usr/share/man/man$section/$(basename "$page").gz"
done
rm -r "$folder/manual"

mkdir -p "$root/usr/share/bash-completion/completions" "$root/usr/share/zsh/vendor-completions" \
  "$root/usr/share/fish/vendor_completions.d"
"$program" --generate-completion-script bash >"$root/usr/share/bash-completion/completions/hearth"
"$program" --generate-completion-script zsh >"$root/usr/share/zsh/vendor-completions/_hearth"
"$program" --generate-completion-script fish >"$root/usr/share/fish/vendor_completions.d/hearth.fish"

# The libraries that the program is linked with, as the packages and versions that have them.
mkdir -p "$folder/shlibs/debian"
echo "Source: hearth" >"$folder/shlibs/debian/control"
libraries=$(cd "$folder/shlibs" && dpkg-shlibdeps -O "$root/usr/bin/hearth" | sed -n 's/^shlibs:Depends=//p')
rm -r "$folder/shlibs"

cat >"$root/DEBIAN/control" <<EOF
Package: hearth
Version: $version
Architecture: $architecture
Maintainer: The Hearth authors <root@localhost>
Section: database
Priority: optional
Depends: passwd, $libraries
Recommends: ca-certificates
Installed-Size: $(du --summarize --block-size=1024 "$root/usr" | cut -f 1)
Description: self-hosted home for Firebase Realtime Database apps
 Unmodified Firebase clients connect to it, security rules guard every path,
 and a client is told the moment it may no longer read.
EOF
for script in postinst prerm postrm; do install -m 755 "$here/debian/$script" "$root/DEBIAN/$script"; done

dpkg-deb --root-owner-group --build "$root" "$root.deb" >/dev/null
rm -rf "$root"
echo "$root.deb"
