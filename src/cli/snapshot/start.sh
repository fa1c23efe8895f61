#!/bin/sh
# Starts Node for an entry of Harness: `sh start.sh NODE ENTRY ARGS…`. If a heap snapshot is kept for the folder that is decided
# about, is this user's alone, and was made by this Node and this build, the process starts from it; otherwise from the entry. It
# replaces this shell, so that ending the one ends the other. `--forget` before that has the next ones start plainly.

# For a process that decides once: machine code does not pay, nothing has to be collected, nobody else's keys are in its tables.
flags='--no-rehash-snapshot --single-threaded --no-opt --no-sparkplug --min-semi-space-size=16 --v8-pool-size=1'

# Number, mode, owner, size and time of change of: the folder, Node and what the snapshot was made from, the snapshot. Sorted by
# name as bytes, the folder is always the first and the snapshot the last.
facts() { cd -- "$1" && LC_ALL=C TZ=UTC0 ls -cdiln -- . "$2" "${3%/*}/snapshot.cjs" heap 2>/dev/null; }

case $1 in
--facts) facts "$2" "$3" "$4"; exit ;;
--build)
  node=$2 heap=$3
  shift 3
  exec "$node" $flags --snapshot-blob "$heap" --build-snapshot "$@"
  ;;
--try) exec "$2" $flags --snapshot-blob "$3" "$4" --version ;;
--forget) forget=1; shift ;;
*) forget= ;;
esac

node=$1 entry=$2
shift 2
case ${XDG_STATE_HOME-} in
/*) state=$XDG_STATE_HOME/harness ;;
*) state=${HOME-}/.local/state/harness ;;
esac
# With a daemon there is nothing to decide here: the entry asks it, and loads no more than that takes.
case $entry in
*/hook.cjs) if [ -S "$state/daemon/socket" ] && [ -z "$forget" ]; then exec "$node" "$entry" "$@"; fi ;;
esac
dir=. last=
for word; do
  case $last in --dir) dir=$word ;; esac
  case $word in --dir=*) dir=${word#--dir=} ;; esac
  last=$word
done
case $dir in
.) dir=$PWD ;;
/*) ;;
*) dir=$PWD/$dir ;;
esac
kept=$state/snapshots$dir
if [ "$forget" ]; then exec rm -f -- "$kept/facts"; fi
# Options of V8 from elsewhere would make it refuse the snapshot.
if [ -O "$kept" ] && [ -O "$kept/heap" ] && [ -f "$kept/facts" ] && [ -z "${NODE_OPTIONS-}" ]; then
  { IFS= read -r folder && IFS= read -r a && IFS= read -r b && IFS= read -r heap; } <"$kept/facts"
  # Of the folder only what does not change with its contents.
  case $(facts "$kept" "$node" "$entry") in
  *[0-9]' drwx------'[\ .]*" .
$a
$b
$heap")
    case $heap in *[0-9]' -rw-------'[\ .]*)
      exec "$node" $flags --snapshot-blob "$kept/heap" "$entry" "$@"
      ;;
    esac
    ;;
  esac
fi
exec "$node" "$entry" "$@"
