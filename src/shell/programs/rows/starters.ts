/** Programs that start another one: with other rights, limits, namespaces, on other machines, or again and again. */
import type { Row } from '../notation.ts';

export const STARTERS: readonly Row[] = [
  {
    names: 'xargs gxargs',
    options: `0oprtx a:d:E:e::I:i::L:l::n:P:s: --null --arg-file= --delimiter= --eof[=] --replace[=] --max-lines[=]
    --max-args= --max-procs= --max-chars= --interactive --no-run-if-empty --verbose --exit --open-tty
    --process-slot-var= --show-limits`,
    operands: 'command+',
    examples: { 'ls | xargs rm -rf': 'delete recursive unknown' },
  },
  {
    names: 'parallel',
    options: `0kmvtuqXn a:C:d:D:E:I:j:J:L:M:N:P:s:S:T:U:W: --jobs= --joblog= --results= --colsep= --arg-file= --delay=
    --retries= --timeout= --max-args= --max-procs= --bar --progress --eta --dry-run --keep-order
    --line-buffer --no-run-if-empty --halt= --ungroup --group --pipe --tag --will-cite --verbose --null
    --delimiter= --sshlogin= --workdir= --shuf --env= --load= --memfree= --nice= --trim= --quote --xapply
    --link --no-notice --citation --block= --recstart= --recend=`,
    operands: 'shell+',
  },
  {
    names: `capsh busybox toybox eatmydata tsocks prime-run gamemoderun mangohud retry winpty graftcp torify ccache
    sccache distcc catchsegv`,
    operands: 'command+',
  },
  {
    names: 'strace',
    options: `CcdDfFhiknNqrtTvVwxyYzZ o:e:p:s:a:b:E:I:O:P:S:u:U:X: --output= --follow-forks --summary --summary-only
    --trace= --attach= --env= --user= --string-limit= --decode-fds[=] --quiet[=] --seccomp-bpf
    --timestamps[=]`,
    operands: 'command+',
    values: '-o|--output=helper:pipe',
    quiet: '-p --attach',
  },
  {
    names: 'sudo',
    options: `AbBEeHiKklNnPSsVv C:c:D:g:h:p:R:r:T:t:U:u: --askpass --background --bell --edit --set-home --login
    --list --non-interactive --preserve-groups --stdin --shell --validate --version --help --reset-timestamp
    --remove-timestamp --no-update --preserve-env[=] --user= --group= --host= --prompt= --chroot= --chdir=
    --role= --type= --close-from= --command-timeout= --other-user= --login-class=`,
    operands: 'assign* command+',
    values: '-D|--chdir=folder -u|--user=user',
    quiet: '-e --edit -l --list -V --version -v --validate -K --help',
    effects: 'privilege root',
    examples: { 'sudo rm -rf /var/log': 'privilege root; delete recursive system.logs' },
  },
  {
    names: 'doas',
    options: 'Lns a:C:u:',
    operands: 'command+',
    values: '-u=user',
    effects: 'privilege root',
  },
  {
    names: 'pkexec',
    options: '--user= --disable-internal-agent --keep-cwd --version --help',
    operands: 'command+',
    values: '--user=user',
    effects: 'privilege root',
  },
  {
    names: 'run0',
    options: '--user= --group= --unit= --chdir= --setenv= --background= --no-ask-password',
    operands: 'command+',
    effects: 'privilege root',
  },
  { names: 'gosu su-exec calife', operands: 'user command+', effects: 'privilege root' },
  {
    names: 'su',
    options: `flmpP c:g:G:s:w:T: --command= --session-command= --shell= --group= --supp-group= --login --fast
    --preserve-environment --pty --whitelist-environment= --no-pty --user=`,
    operands: 'user',
    values: '-c|--command|--session-command=shell',
    mixed: true,
    shellAlone: true,
    effects: 'privilege root',
  },
  {
    names: 'runuser',
    options: `flmpP c:g:G:s:w:T: --command= --session-command= --shell= --group= --supp-group= --login --fast
    --preserve-environment --pty --whitelist-environment= --no-pty --user= u:`,
    operands: 'command+',
    values: '-c|--command|--session-command=shell -u|--user=user',
    effects: 'privilege root',
  },
  {
    names: 'setpriv',
    options: `d --dump --clear-groups --keep-groups --init-groups --no-new-privs --list-caps --reset-env --nnp
    --reuid= --ruid= --euid= --rgid= --egid= --regid= --groups= --inh-caps= --ambient-caps= --bounding-set=
    --securebits= --pdeathsig= --selinux-label= --apparmor-profile= --ptracer= --landlock-access=
    --landlock-rule=`,
    operands: 'command+',
  },
  { names: 'setuidgid s6-setuidgid', operands: 'user command+' },
  { names: 'chpst', options: 'vPV012 u:U:b:e:/:n:l:L:m:d:o:p:f:c:r:t:', operands: 'command+' },
  {
    names: 'sg',
    operands: '- shell+',
    values: '-c=shell',
    effects: 'account change if =root =sudo =wheel =adm =shadow =disk',
  },
  {
    names: 'env',
    options: `i0v u:C:S: --ignore-environment --null --debug --list-signal-handling --unset= --chdir= --split-string=
    --block-signal[=] --default-signal[=] --ignore-signal[=] --argv0= --help --version`,
    operands: 'assign* command+',
    values: '-S|--split-string=shell -C|--chdir=folder',
    effects: 'secret show of variables on nothing if #<1',
  },
  { names: 'nice', options: 'n: --adjustment= --help --version', operands: 'command+', numbers: true },
  {
    names: 'ionice',
    options: 't c:n:p:P:u: --class= --classdata= --pid= --pgid= --uid= --ignore',
    operands: 'command+',
    quiet: '-p --pid',
  },
  {
    names: 'chrt',
    options: `abdfioRrmpvehV T:P:D: --all-tasks --batch --deadline --fifo --idle --other --rr --reset-on-fork --max
    --pid --verbose --sched-runtime= --sched-period= --sched-deadline=`,
    operands: '- command+',
    quiet: '-p --pid -m --max',
  },
  {
    names: 'taskset',
    options: 'acp --all-tasks --cpu-list --pid --help --version',
    operands: '- command+',
    quiet: '-p --pid',
  },
  {
    names: 'numactl',
    options: `asHl i:m:N:C:p:P:w: --all --show --hardware --localalloc --interleave= --membind= --cpunodebind=
    --physcpubind= --preferred= --weighted-interleave= --balancing --preferred-many=`,
    operands: 'command+',
  },
  {
    names: 'prlimit',
    options: `p:o: --pid= --output= --nofile[=] --nproc[=] --as[=] --cpu[=] --core[=] --noheadings --raw --verbose`,
    operands: 'command+',
    quiet: '-p --pid',
  },
  { names: 'nohup', options: '--help --version', operands: 'command+' },
  { names: 'setsid', options: 'cfw --ctty --fork --wait --help --version', operands: 'command+' },
  { names: 'stdbuf', options: 'i:o:e: --input= --output= --error= --help --version', operands: 'command+' },
  { names: 'unbuffer', options: 'p', operands: 'command+' },
  {
    names: 'timeout',
    options: `fpv k:s: --foreground --preserve-status --verbose --kill-after= --signal= --help --version`,
    operands: '- command+',
  },
  {
    names: 'gtimeout',
    options: 'fpv k:s: --foreground --preserve-status --verbose --kill-after= --signal=',
    operands: '- command+',
  },
  {
    names: 'time',
    options: `pavqVlhe f:o: --portability --append --verbose --quiet --format= --output= --version --help`,
    operands: 'assign* command+',
    lookup: 'all',
  },
  { names: 'daemonize', options: 'a v c:E:e:o:p:u:l:', operands: 'command+' },
  { names: 'dbus-run-session', options: '--config-file= --dbus-daemon=', operands: 'command+' },
  {
    names: 'dbus-launch',
    options: '--exit-with-session --sh-syntax --csh-syntax --config-file= --autolaunch=',
    operands: 'command+',
  },
  {
    names: 'xvfb-run',
    options: `al e:f:n:p:s:w: --auto-servernum --listen-tcp --error-file= --server-num= --server-args= --wait=`,
    operands: 'command+',
  },
  { names: 'caffeinate', options: 'disum t:w:', operands: 'command+' },
  {
    names: 'systemd-run',
    options: `GPqrSt E:H:M:p:u:d --user --system --scope --no-block --wait --pty --pipe --shell --quiet --collect
    --remain-after-exit --send-sighup --no-ask-password --same-dir --slice-inherit --expand-environment=
    --description= --slice= --unit= --property= --uid= --gid= --nice= --working-directory= --setenv= --host=
    --machine= --service-type= --on-active= --on-boot= --on-startup= --on-unit-active= --on-unit-inactive=
    --on-calendar= --on-clock-change --on-timezone-change --timer-property= --path-property=
    --socket-property= --background= --ignore-failure`,
    operands: 'command+',
    values: '--user|--uid=user',
    effects: [
      'privilege root',
      'persist schedule if --on-calendar --on-boot --on-active --on-startup --on-unit-active',
    ],
  },
  {
    names: 'systemd-inhibit',
    options: '--what= --who= --why= --mode= --list --no-pager --no-legend',
    operands: 'command+',
  },
  {
    names: 'systemd-cat',
    options: 't:p: --identifier= --priority= --stderr-priority= --level-prefix=',
    operands: 'command+',
  },
  {
    names: 'chroot',
    options: '--userspec= --groups= --skip-chdir --help --version',
    operands: 'root command+',
    shellAlone: true,
  },
  {
    names: 'unshare',
    options: `fcr m::u::i::n::p::U::C::T::R:S:G:w:l: --fork --map-root-user --map-current-user --map-auto --keep-caps
    --mount[=] --uts[=] --ipc[=] --net[=] --pid[=] --user[=] --cgroup[=] --time[=] --map-user= --map-group=
    --map-users= --map-groups= --kill-child[=] --mount-proc[=] --mount-binfmt[=] --propagation= --setgroups=
    --root= --wd= --setuid= --setgid= --monotonic= --boottime= --load-interp=`,
    operands: 'command+',
    shellAlone: true,
  },
  {
    names: 'nsenter',
    options: `aFeZc t:m::u::i::n::p::U::C::T::S:G:r::w::W:: --all --target= --mount[=] --uts[=] --ipc[=] --net[=]
    --pid[=] --user[=] --cgroup[=] --time[=] --setuid= --setgid= --preserve-credentials --root[=] --wd[=]
    --wdns[=] --env --no-fork --follow-context --keep-caps --join-cgroup`,
    operands: 'command+',
    shellAlone: true,
  },
  {
    names: 'systemd-nspawn',
    options: `abnqxPU D:i:M:u:p:E: --boot --quiet --ephemeral --read-only --private-network --as-pid2 --pipe
    --directory= --image= --template= --machine= --user= --bind= --bind-ro= --tmpfs= --setenv= --chdir=
    --capability=`,
    operands: 'command+',
    values: '--chdir=folder --bind=mount',
  },
  { names: 'arch-chroot', options: 'NhrS u: --userspec=', operands: 'root command+', shellAlone: true },
  {
    names: 'bwrap',
    options: `--unshare-all --unshare-user --unshare-user-try --unshare-ipc --unshare-pid --unshare-net --unshare-uts
    --unshare-cgroup --unshare-cgroup-try --share-net --die-with-parent --as-pid-1 --new-session --clearenv
    --disable-userns --assert-userns-disabled --bind== --bind-try== --dev-bind== --dev-bind-try==
    --ro-bind== --ro-bind-try== --setenv== --symlink== --file== --bind-data== --ro-bind-data== --chmod==
    --overlay== --remount-ro= --overlay-src= --tmp-overlay= --ro-overlay= --chdir= --dev= --proc= --tmpfs=
    --mqueue= --dir= --unsetenv= --uid= --gid= --hostname= --args= --argv0= --userns= --pidns= --exec-label=
    --file-label= --lock-file= --sync-fd= --block-fd= --info-fd= --json-status-fd= --seccomp=
    --add-seccomp-fd= --size= --perms= --cap-add= --cap-drop=`,
    operands: 'command+',
    values: '--chdir=folder',
  },
  {
    names: 'firejail',
    options: `q c --quiet --noprofile --private[=] --net= --profile= --caps.drop= --seccomp[=] --noroot --nogroups
    --shell=`,
    operands: 'command+',
  },
  {
    names: 'proot',
    options: 'hVv0 r:b:w:k:q:i:m:R:S: --rootfs= --bind= --pwd= --qemu= --root-id',
    operands: 'command+',
    shellAlone: true,
  },
  {
    names: 'fakeroot',
    options: 'huv l:f:i:s:b: --lib= --faked= --unknown-is-real --version',
    operands: 'command+',
    shellAlone: true,
  },
  {
    names: 'fakechroot',
    options: 'hvs e:d:l:b:c: --lib= --elfloader= --environment= --config-dir= --use-system-libs',
    operands: 'command+',
  },
  {
    names: 'setarch',
    options: 'RFZLX3SIT B --addr-no-randomize --verbose --uname-2.6 --32bit',
    // The name of an architecture is a program of its own.
    operands: 'command+',
    examples: { 'setarch x86_64 -R rm a': 'delete workspace', 'setarch -R rm a': 'delete workspace' },
  },
  {
    names: 'linux32 linux64 i386 i486 i586 i686 x86_64 aarch64 uname26 s390x ppc64le',
    options: 'RFZLX3SITBv',
    operands: 'command+',
  },
  { names: 'arch', options: 'c d:e: 32 64 -x86_64 -arm64 -arm64e -i386', operands: 'command+' },
  {
    names: 'ltrace',
    options: 'bcCfhiLrStTvVx: A:a:D:e:F:l:n:o:p:s:u:w:X: --output= --library=',
    operands: 'command+',
    quiet: '-p',
  },
  {
    names: 'valgrind',
    options: `qvdh --tool= --leak-check= --track-origins= --log-file= --error-exitcode= --xml= --xml-file=
    --suppressions= --show-leak-kinds= --trace-children= --num-callers= --gen-suppressions=`,
    operands: 'command+',
  },
  {
    names: 'watch',
    options: `bcCegtxrw d::n:q: --beep --color --no-color --differences[=] --errexit --chgexit --no-title --exec
    --no-wrap --precise --interval= --equexit= --no-rerun`,
    operands: 'shell+',
  },
  { names: 'entr', options: 'acdnprxz s:', operands: 'command+', values: '-s=shell' },
  { names: 'rlwrap', options: 'acimnNrRsvwz A:b:C:D:e:f:g:H:l:M:o:O:p:P:q:S:t:', operands: 'command+' },
  {
    names: 'script',
    options: `aefq c:B:E:I:O:T:t::m:o: --append --command= --return --flush --force --quiet --echo= --log-in=
    --log-out= --log-io= --log-timing= --logging-format= --output-limit= --timing[=]`,
    operands: 'write',
    values: '-c|--command=shell',
    mixed: true,
    shellAlone: true,
  },
  {
    names: 'flock',
    options: `sxeunFov w:E:c: --shared --exclusive --unlock --nonblock --nb --no-fork --close --verbose --wait=
    --timeout= --conflict-exit-code= --command= --fcntl`,
    operands: '- command+',
    values: '-c|--command=shell',
    mixed: true,
  },
  {
    names: 'hyperfine',
    options: `iN w:m:M:r:s:p:c:n:L:P:D:S:u: --warmup= --runs= --min-runs= --max-runs= --prepare= --cleanup= --setup=
    --shell= --export-json= --export-markdown= --ignore-failure --show-output --command-name=
    --parameter-list= --style= --time-unit= --output= --input=`,
    operands: 'shell*',
    values: '-p|--prepare|-c|--cleanup|-s|--setup=shell',
    mixed: true,
  },
  { names: 'sshpass', options: 'ehvV p:f:d:P:', operands: 'command+' },
  { names: 'stuff', operands: 'shell*' },
  {
    names: 'screen',
    options: 'aAdDfiLlmOqRUvwxX c:e:h:p:s:S:t:T: -dmS= -ls -wipe',
    operands: 'command+',
    quiet: '-l -x -r',
  },
  {
    names: 'watchexec',
    options: `cnrpqv w:e:i:s:d:f:o: --watch= --exts= --ignore= --signal= --restart --clear --shell= --on-busy-update=`,
    operands: 'command+',
  },
  {
    names: 'nodemon',
    options: 'qVLI w:e:x:i:d: --exec= --watch= --ext= --ignore= --delay= --quiet --verbose --signal=',
    operands: '-*',
    values: '-x|--exec=shell',
    mixed: true,
  },
  { names: 'chronic', options: 've', operands: 'command+' },
  { names: 'ifne', options: 'n', operands: 'command+' },
  { names: 'faketime', options: 'mfp:', operands: '- command+' },
  {
    names: 'cpulimit',
    options: 'ikvz c:e:l:p:P: --limit= --cpu= --exe= --pid= --path= --foreground --kill --lazy',
    operands: 'command+',
  },
  { names: 'trickle', options: 's d:u:w:t:l:p:n:', operands: 'command+' },
  { names: 'choom', options: 'n:p: --adjust= --pid=', operands: 'command+' },
  { names: 'optirun', options: 'b:', operands: 'command+' },
  { names: 'cgexec', options: 'g: --sticky', operands: 'command+' },
  { names: 'aa-exec', options: 'dvi p:n:a: --profile= --namespace=', operands: 'command+' },
  { names: 'runcon', options: 'c t:u:r:l: --type= --user= --role= --range=', operands: 'command+' },
  { names: 'dtruss', options: 'acdefhlLost n:p:', operands: 'command+' },
  { names: 'heaptrack', options: 'd o:', operands: 'command+' },
  { names: 'kcov', operands: '- command+' },
  {
    names: 'newgrp',
    operands: '- command+',
    effects: 'account change if =root =sudo =wheel =adm =shadow =disk',
  },
  { names: 'multitime', options: 'n:i:o:q:s:r:', operands: 'command+' },
  { names: 'gtime', options: 'pavq f:o: --format= --output= --verbose', operands: 'command+' },
  { names: 'tini-static tini', options: 'svwgh p:e:', operands: 'command+' },
  { names: 'catatonit', options: 'P g', operands: 'command+' },
  {
    names: 'flatpak-spawn',
    options: 'vr --host --watch-bus --clear-env --sandbox --no-network --env= --directory=',
    operands: 'command+',
  },
  {
    names: 'wait-for-it',
    options: 'hqst: --host= --port= --timeout= --strict --quiet',
    operands: '- -- command+',
  },
  { names: 'dotenv', options: 'f:e:v: --file= --override', operands: '- -- command+' },
  { names: 'cross-env', operands: 'assign* command+' },
  { names: 'cross-env-shell', operands: 'assign* shell+' },
  { names: 'torsocks', options: 'idp:P:a:u: --shell', operands: 'command+' },
  { names: 'proxychains proxychains4', options: 'q f:', operands: 'command+' },
  { names: 'ssh-agent', options: 'csDdk a:E:O:P:t:', operands: 'command+' },
  { names: 'dumb-init', options: 'cv r: --single-child --verbose --rewrite=', operands: 'command+' },
  {
    names: 'ip',
    effects: 'service network if >link+set+**+down >addr*+flush >link+del* >route+del* >l+set+**+down',
    subs: {
      'netns exec': { operands: '- command+' },
      'route add default|route replace default|r add default|a flush|route flush|r flush': 'service network',
    },
  },
  {
    names: 'perf',
    subs: {
      stat: {
        options: 'aidxv e:p:t:r:o:C:I: --repeat= --event= --output= --all-cpus --detailed --no-inherit',
        operands: 'command+',
      },
      record: {
        values: '-o|--output=write',
        options: 'agv e:p:t:F:o:C:c: --call-graph= --event= --freq= --output= --all-cpus',
        operands: 'command+',
      },
    },
  },
  { names: 'zellij', subs: { 'action write-chars': { operands: 'shell*' } } },
  {
    names: 'xdotool',
    subs: {
      type: { options: '--delay= --window= --clearmodifiers --terminator=', operands: 'shell*', mixed: true },
    },
  },
  { names: 'ydotool', subs: { type: { options: '--key-delay=', operands: 'shell*', mixed: true } } },
  { names: 'rr', subs: { record: { options: 'nS c:o:', operands: 'command+' } } },
  {
    names: 'dotenvx',
    subs: { run: { options: 'f: --env-file= --quiet --overload', operands: '- -- command+' } },
  },
];
