#!/bin/sh
# Builds an empty root in a mount, PID and network namespace of its own, and runs the driver in it without any rights.
# Called by sandbox.ts through unshare: ROOT WORK USER. WORK is the only place that can be written.
set -eu
root=$1
work=$2
user=$3

[ "$$" -eq 1 ] || { echo 'enter-sandbox: want to be the first process of a PID namespace' >&2; exit 97; }

mount -t tmpfs -o size=64m,mode=755 none "$root"
mkdir -p "$root/bin" "$root/dev" "$root/proc" "$root/work" "$root/tmp"

copy() {
  cp -L "$1" "$root/bin/$2"
  for library in $(ldd "$1" 2>/dev/null | grep -o '/[^ ]*'); do
    mkdir -p "$root$(dirname "$library")"
    [ -e "$root$library" ] || cp -L "$library" "$root$library"
  done
}
for program in dash bash env nice nohup timeout xargs cat tee sleep base64 rev tr setpriv; do
  copy "$(command -v "$program")" "$program"
done
cp "$root/bin/dash" "$root/bin/sh"

# Stubs write down who called them with what, and end as their name says.
for name in p0 p1 p2 p3 p4 q0 q1 q2 w0; do
  case $name in
    q*) status=1 ;;
    *) status=0 ;;
  esac
  printed=:
  [ "$name" = w0 ] && printed='printf "%s\n" "p4 from-w0"'
  cat > "$root/bin/$name" <<STUB
#!/bin/dash
printf '%s\\0' "\$FUZZ_FORM" $name "\$@" "\$FUZZ_END" >> /work/log
$printed
exit $status
STUB
  chmod 755 "$root/bin/$name"
done

touch "$root/dev/null" "$root/sandbox"
mount --bind /dev/null "$root/dev/null"
ln -s /proc/self/fd "$root/dev/fd"
ln -s /proc/self/fd/0 "$root/dev/stdin"
mount -t proc none "$root/proc"
mount --bind "$work" "$root/work"
mount -o remount,ro "$root"

cd "$root"
# An ordinary user has no other id to change to: nothing but the rights in the namespace is there to drop.
if [ "$user" = root ]; then
  exec chroot "$root" /bin/setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs --pdeathsig SIGKILL \
    --inh-caps=-all --bounding-set=-all /bin/dash /work/driver.sh
fi
exec chroot "$root" /bin/setpriv --securebits=+noroot,+noroot_locked --no-new-privs --pdeathsig SIGKILL \
  --inh-caps=-all --bounding-set=-all /bin/dash /work/driver.sh
