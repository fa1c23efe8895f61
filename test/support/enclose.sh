#!/bin/sh
# The inside of enclosed.ts: PLACE USER PROGRAM... as the first process of namespaces of its own. Only PLACE can be written, and no
# network is there but a loopback. USER: `nobody` and `self` have no rights and get none; `person` can gain some by a setuid program, and `root`
# has them all: those two are for walls that are to hold them.
set -eu
place=$1 user=$2
shift 2
[ "$$" -eq 1 ] || { echo 'enclose: want to be the first process of a PID namespace' >&2; exit 97; }
mount --bind "$place" "$place"
mount -o remount,bind,ro /
ip link set lo up
# A second address stands for what is outside.
ip address add 192.0.2.1/32 dev lo
cd "$place/$ENCLOSED_IN"
setpriv=$(command -v setpriv)
# Only from here on: what the program is to find on its path may be planted.
PATH=$ENCLOSED_PATH
unset ENCLOSED_IN ENCLOSED_PATH
case $user in
  root) exec "$@" ;;
  person) exec "$setpriv" --reuid=65534 --regid=65534 --clear-groups --pdeathsig SIGKILL -- "$@" ;;
  nobody) set -- --reuid=65534 --regid=65534 --clear-groups -- "$@" ;;
  self) set -- --securebits=+noroot,+noroot_locked -- "$@" ;;
esac
exec "$setpriv" --no-new-privs --pdeathsig SIGKILL --inh-caps=-all --bounding-set=-all "$@"
