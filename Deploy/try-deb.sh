#!/bin/sh
# Tries a package in a bare Debian 12, made with debootstrap: try-deb.sh PACKAGE FOLDER. As root.
#
# Installs it with apt, serves as the service's user until a client is answered, does what an operator does on a day, installs
# it again over itself, removes and purges it, and looks at what is left.
set -eu

package=$(realpath "$1")
folder=$2
root="$folder/root"
mirror=${MIRROR:-http://deb.debian.org/debian}

say() { echo "try-deb: $*"; }
become() { exec chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive "$@"; }
inside() { (become "$@"); }
# As the service's user, in a folder of its own.
as_service() { inside setpriv --reuid=hearth --regid=hearth --clear-groups env -C /var/lib/hearth "$@"; }
hearth() { as_service hearth "$@" --data /var/lib/hearth; }
fail() { say "$*"; exit 1; }

mkdir -p "$folder"
if [ ! -e "$root/.made" ]; then
  rm -rf "$root"
  say "making a bare Debian 12 in $root"
  debootstrap --variant=minbase bookworm "$root" "$mirror" >"$folder/debootstrap.log"
  touch "$root/.made"
fi
cp /etc/resolv.conf "$root/etc/resolv.conf"
for settings in /etc/apt/apt.conf.d/*proxy*; do [ ! -e "$settings" ] || cp "$settings" "$root/etc/apt/apt.conf.d/"; done
cp "$package" "$root/hearth.deb"
mountpoint --quiet "$root/proc" || mount -t proc proc "$root/proc"
server=""
end() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  umount "$root/proc"
}
trap end EXIT

say "installing"
inside apt-get update --quiet=2
inside apt-get install --yes --quiet=2 --no-install-recommends /hearth.deb >"$folder/install.log" 2>&1 ||
  { cat "$folder/install.log"; fail "it cannot be installed"; }
inside hearth --version
[ "$(stat --format=%a "$root/var/lib/hearth")" = 700 ] || fail "others can look into /var/lib/hearth"
inside test -x /usr/bin/swift && fail "there is a toolchain: nothing is shown by this"

serve() {
  # Of one that ran before.
  rm -f "$folder/server.log"
  # Of the process itself, so that it is what the signal ends.
  become setpriv --reuid=hearth --regid=hearth --clear-groups env -C /var/lib/hearth \
    hearth serve --config /etc/hearth/hearth.conf --port 0 >"$folder/server.log" 2>&1 &
  server=$!
  tries=0
  until grep -q "ready in" "$folder/server.log" 2>/dev/null; do
    tries=$((tries + 1))
    [ $tries -lt 300 ] || { cat "$folder/server.log"; fail "it is not ready"; }
    sleep 0.1
  done
  sed -n 's/^hearth: //p' "$folder/server.log"
  url=$(sed -n 's/.*ready in .* on //p' "$folder/server.log")
}
stop() {
  kill -TERM "$server"
  wait "$server" || fail "it did not end well"
  server=""
}

say "serving"
serve
hearth db set /kept '"yes"'
curl --silent --fail --noproxy '*' "$url/" >/dev/null || fail "it does not answer"
[ "$(curl --silent --noproxy '*' --output /dev/null --write-out '%{http_code}' "$url/kept.json")" = 401 ] ||
  fail "a new folder is open"
hearth doctor || say "the doctor has something to say"
hearth doctor | grep -q 'systemctl enable --now hearth-backup.timer' || fail "the doctor does not name the timer of backups"
# The configuration names the folder, also from another one.
[ "$(inside setpriv --reuid=hearth --regid=hearth --clear-groups env -C / hearth db get /kept)" = '"yes"' ] ||
  fail "a command does not find the folder of the service"

say "looking back"
hearth db set /rooms/lobby/topic '"first"'
sleep 2
hearth db set /rooms/lobby/topic '"second"'
hearth db history /rooms/lobby/topic
hearth db history /rooms/lobby/topic | grep -q '"first"' || fail "the history does not show what was there"
[ "$(hearth db get /rooms/lobby/topic --at '1 second ago')" = '"first"' ] || fail "the past is not there"
hearth db get /rooms/lobby --at '1 second ago' --as somebody >"$folder/denied.log" 2>&1 && fail "somebody could read it then"
grep -qi "denied" "$folder/denied.log" || { cat "$folder/denied.log"; fail "a denial of then is not explained"; }
hearth db restore /rooms/lobby --at '2 seconds ago' --dry-run | grep -q '"first"' || fail "the difference is not shown"
[ "$(hearth db get /rooms/lobby/topic)" = '"second"' ] || fail "a dry run changed something"

say "backing up"
# As the unit does it.
backup=$(sed -n 's/^ExecStart=//p' "$root/lib/systemd/system/hearth-backup.service")
inside setpriv --reuid=hearth --regid=hearth --clear-groups env -C / $backup
as_service hearth backup verify /var/backups/hearth
install --directory --mode=700 --owner="$(stat --format=%u "$root/var/lib/hearth")" "$root/backups"
rm -f "$folder/backup.log"
hearth backup create /backups --every 1h --keep 30d >"$folder/backup.log" 2>&1 &
backing=$!
tries=0
until grep -q . "$folder/backup.log" 2>/dev/null; do
  tries=$((tries + 1))
  [ $tries -lt 100 ] || fail "no backup is made"
  sleep 0.1
done
moment=$(sed -n 's/.* as of \([-0-9T:.]*Z\).*/\1/p' "$folder/backup.log")
pkill -TERM --parent "$backing" 2>/dev/null || kill -TERM "$backing"
wait "$backing" || true
cat "$folder/backup.log"
grep -q "stay for now" "$folder/backup.log" && fail "old backups would never be removed"
as_service hearth backup verify /backups
hearth backup create - >"$folder/stream"
[ -s "$folder/stream" ] || fail "a backup as a stream is empty"
hearth db restore /rooms/lobby --at '4 seconds ago' --force || say "there was nothing else then"
as_service hearth restore /backups --at "$moment" --into /var/lib/hearth/again
[ "$(as_service hearth db get /rooms/lobby/topic --data /var/lib/hearth/again)" = '"second"' ] || fail "a restored folder has other data"

say "moving in"
moving="$root/var/lib/hearth/moving"
install --directory --mode=755 "$moving"
echo '{"scores":{"ada":12,"grace":11}}' >"$moving/export.json"
echo '{"users":[{"localId":"ada","email":"ada@example.com","emailVerified":true,"displayName":"Ada"}]}' >"$moving/users.json"
echo '{"rules":{"scores":{".read":"auth != null"}}}' >"$moving/rules.json"
as_service hearth migrate firebase moving/export.json moving/users.json moving/rules.json --data /var/lib/hearth/moved
[ "$(as_service hearth db get /scores/ada --data /var/lib/hearth/moved)" = 12 ] || fail "data did not move"

say "measuring"
curl --silent --fail --noproxy '*' --header "Authorization: Bearer $(cat "$root/var/lib/hearth/keys/admin-token")" "$url/.metrics" |
  grep -q '^hearth_ready 1' || fail "there are no metrics"
stop

say "upgrading"
inside apt-get install --yes --quiet=2 --reinstall /hearth.deb >>"$folder/install.log" 2>&1
serve
[ "$(hearth db get /kept)" = '"yes"' ] ||
  fail "an upgrade lost data"
stop

say "purging"
inside apt-get purge --yes --quiet=2 hearth >"$folder/purge.log" 2>&1
[ ! -e "$root/etc/hearth" ] || fail "the configuration is left"
[ -e "$root/var/lib/hearth/databases/default.sqlite" ] || fail "purging took the data"
[ -e "$root/var/backups/hearth" ] || fail "purging took the backups"
inside userdel hearth
rm -rf "$root/var/lib/hearth" "$root/var/backups/hearth" "$root/hearth.deb"
say "all is well"
