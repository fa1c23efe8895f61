/**
 * Programs that start another one: the options that stand before it, and how it is given. A row is data; an option that is
 * not in its row makes the reading incomplete, since nobody then knows which word is the program.
 */

export interface Wrapper {
  /** See options.ts. */
  readonly options: string;
  /** Words between the options and the command: the duration of `timeout`, the host of `ssh`. */
  readonly skip?: number;
  /**
   * `words`: the rest is a command. `joined`: the rest, with blanks between, is given to a shell. `each`: every operand is.
   * `none`: only what an option says.
   */
  readonly run?: 'words' | 'joined' | 'each' | 'none';
  /** `NAME=value` words before the command. */
  readonly assigns?: true;
  readonly elevates?: true;
  /** Elevates unless one of these options names somebody else. */
  readonly user?: readonly string[];
  readonly remote?: true;
  /** Options whose value is a command for a shell. */
  readonly script?: readonly string[];
  /** Options with which nothing is started. */
  readonly quiet?: readonly string[];
  /** Options whose value is the folder the command runs in. */
  readonly folder?: readonly string[];
  /** Options may stand behind the skipped words too. */
  readonly mixed?: true;
  /** The command begins with the value of one of these options. */
  readonly behind?: readonly string[];
  /** The command stands behind `--` only. */
  readonly dashes?: true;
  /** Functions and builtins of the shell (`all`), or only builtins, count as well. */
  readonly shell?: 'all' | 'builtins';
  /** With no command it gives a shell: reads commands from its input. */
  readonly shellAlone?: true;
  /** `-5` is an option. */
  readonly numbers?: true;
  /** Options are written `-name`. */
  readonly single?: true;
}

const CONTAINER_RUN = `diPqt a:c:e:h:l:m:p:u:v:w: --detach --interactive --tty --init --privileged --rm --no-healthcheck
  --oom-kill-disable --publish-all --read-only --sig-proxy[=] --quiet --disable-content-trust[=] --add-host= --annotation=
  --attach= --blkio-weight= --cap-add= --cap-drop= --cgroup-parent= --cgroupns= --cidfile= --cpu-period= --cpu-quota=
  --cpu-shares= --cpus= --cpuset-cpus= --cpuset-mems= --device= --device-cgroup-rule= --dns= --dns-option= --dns-search=
  --domainname= --entrypoint= --env= --env-file= --expose= --gpus= --group-add= --health-cmd= --health-interval=
  --hostname= --ip= --ip6= --ipc= --isolation= --kernel-memory= --label= --label-file= --link= --log-driver= --log-opt=
  --mac-address= --memory= --memory-reservation= --memory-swap= --mount= --name= --network= --net= --network-alias=
  --pid= --pids-limit= --platform= --publish= --pull= --restart= --runtime= --security-opt= --shm-size= --stop-signal=
  --stop-timeout= --storage-opt= --sysctl= --tmpfs= --ulimit= --user= --userns= --uts= --volume= --volume-driver=
  --volumes-from= --workdir= --userns= --replace --systemd= --secret= --arch= --os=`;
const CONTAINER_EXEC =
  'dit e:u:w:l --detach --interactive --tty --privileged --latest --detach-keys= --env= --env-file= --user= --workdir=';
const COMPOSE_RUN = `dTitPq e:l:p:u:v:w: --detach --no-deps --rm --no-TTY --service-ports --use-aliases --build --quiet-pull
  --interactive --tty --remove-orphans --entrypoint= --env= --name= --publish= --user= --volume= --workdir= --index= --privileged`;
const KUBECTL_EXEC = `itq c:f:n: --stdin --tty --quiet --container= --filename= --namespace= --context= --kubeconfig=
  --pod-running-timeout= --cluster= --user= --server= --token= --request-timeout= --as=`;
const KUBECTL_RUN = `it n:l: --stdin --tty --rm --quiet --image= --restart= --namespace= --context= --env= --labels=
  --overrides= --port= --command --attach --leave-stdin-open --privileged --image-pull-policy= --dry-run= --output=
  --expose --pod-running-timeout= --annotations= --kubeconfig= --as= --serviceaccount=`;
const SSH = '46AaCfGgKkMNnqsTtVvXxYy B:b:c:D:E:e:F:I:i:J:L:l:m:O:o:p:P:Q:R:S:W:w:';
const SU = `flmpP c:g:G:s:w:T: --command= --session-command= --shell= --group= --supp-group= --login --fast
  --preserve-environment --pty --whitelist-environment= --no-pty --user=`;

/** By program, or by program and sub-commands. */
export const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map(
  Object.entries<Wrapper>({
    // More rights, another user
    sudo: {
      options: `AbBEeHiKklNnPSsVv C:c:D:g:h:p:R:r:T:t:U:u: --askpass --background --bell --edit --set-home --login --list
      --non-interactive --preserve-groups --stdin --shell --validate --version --help --reset-timestamp --remove-timestamp
      --no-update --preserve-env[=] --user= --group= --host= --prompt= --chroot= --chdir= --role= --type= --close-from=
      --command-timeout= --other-user= --login-class=`,
      assigns: true,
      elevates: true,
      user: ['-u', '--user'],
      quiet: ['-e', '--edit', '-l', '--list', '-V', '--version', '-v', '--validate', '-K', '--help'],
      folder: ['-D', '--chdir'],
    },
    doas: { options: 'Lns a:C:u:', elevates: true, user: ['-u'] },
    pkexec: {
      options: '--user= --disable-internal-agent --keep-cwd --version --help',
      elevates: true,
      user: ['--user'],
    },
    run0: {
      options: '--user= --group= --unit= --chdir= --setenv= --background= --no-ask-password',
      elevates: true,
    },
    gosu: { options: '', skip: 1, elevates: true },
    'su-exec': { options: '', skip: 1, elevates: true },
    calife: { options: '', skip: 1, elevates: true },
    su: {
      options: SU,
      run: 'none',
      mixed: true,
      elevates: true,
      script: ['-c', '--command', '--session-command'],
      shellAlone: true,
    },
    runuser: {
      options: `${SU} u:`,
      elevates: true,
      user: ['-u', '--user'],
      script: ['-c', '--command', '--session-command'],
    },
    setpriv: {
      options: `d --dump --clear-groups --keep-groups --init-groups --no-new-privs --list-caps --reset-env --nnp --reuid= --ruid=
      --euid= --rgid= --egid= --regid= --groups= --inh-caps= --ambient-caps= --bounding-set= --securebits= --pdeathsig=
      --selinux-label= --apparmor-profile= --ptracer= --landlock-access= --landlock-rule=`,
    },
    setuidgid: { options: '', skip: 1 },
    's6-setuidgid': { options: '', skip: 1 },
    chpst: { options: 'vPV012 u:U:b:e:/:n:l:L:m:d:o:p:f:c:r:t:' },
    sg: { options: '', skip: 1, run: 'joined', script: ['-c'] },

    // The environment and limits of a process
    env: {
      options: `i0v u:C:S: --ignore-environment --null --debug --list-signal-handling --unset= --chdir= --split-string=
      --block-signal[=] --default-signal[=] --ignore-signal[=] --argv0= --help --version`,
      assigns: true,
      script: ['-S', '--split-string'],
      folder: ['-C', '--chdir'],
    },
    nice: { options: 'n: --adjustment= --help --version', numbers: true },
    ionice: {
      options: 't c:n:p:P:u: --class= --classdata= --pid= --pgid= --uid= --ignore',
      quiet: ['-p', '--pid'],
    },
    chrt: {
      options: `abdfioRrmpvehV T:P:D: --all-tasks --batch --deadline --fifo --idle --other --rr --reset-on-fork --max --pid
      --verbose --sched-runtime= --sched-period= --sched-deadline=`,
      skip: 1,
      quiet: ['-p', '--pid', '-m', '--max'],
    },
    taskset: {
      options: 'acp --all-tasks --cpu-list --pid --help --version',
      skip: 1,
      quiet: ['-p', '--pid'],
    },
    numactl: {
      options: `asHl i:m:N:C:p:P:w: --all --show --hardware --localalloc --interleave= --membind= --cpunodebind= --physcpubind=
      --preferred= --weighted-interleave= --balancing --preferred-many=`,
    },
    prlimit: {
      options:
        'p:o: --pid= --output= --nofile[=] --nproc[=] --as[=] --cpu[=] --core[=] --noheadings --raw --verbose',
      quiet: ['-p', '--pid'],
    },
    nohup: { options: '--help --version' },
    setsid: { options: 'cfw --ctty --fork --wait --help --version' },
    stdbuf: { options: 'i:o:e: --input= --output= --error= --help --version' },
    unbuffer: { options: 'p' },
    timeout: {
      options: 'fpv k:s: --foreground --preserve-status --verbose --kill-after= --signal= --help --version',
      skip: 1,
    },
    gtimeout: {
      options: 'fpv k:s: --foreground --preserve-status --verbose --kill-after= --signal=',
      skip: 1,
    },
    time: {
      options: 'pavqVlhe f:o: --portability --append --verbose --quiet --format= --output= --version --help',
      shell: 'all',
      assigns: true,
    },
    daemonize: { options: 'a v c:E:e:o:p:u:l:' },
    'dbus-run-session': { options: '--config-file= --dbus-daemon=' },
    'dbus-launch': { options: '--exit-with-session --sh-syntax --csh-syntax --config-file= --autolaunch=' },
    'xvfb-run': {
      options:
        'al e:f:n:p:s:w: --auto-servernum --listen-tcp --error-file= --server-num= --server-args= --wait=',
    },
    caffeinate: { options: 'disum t:w:' },
    'systemd-run': {
      options: `GPqrSt E:H:M:p:u:d --user --system --scope --no-block --wait --pty --pipe --shell --quiet --collect
      --remain-after-exit --send-sighup --no-ask-password --same-dir --slice-inherit --expand-environment= --description=
      --slice= --unit= --property= --uid= --gid= --nice= --working-directory= --setenv= --host= --machine= --service-type=
      --on-active= --on-boot= --on-startup= --on-unit-active= --on-unit-inactive= --on-calendar= --on-clock-change
      --on-timezone-change --timer-property= --path-property= --socket-property= --background= --ignore-failure`,
      elevates: true,
      user: ['--user', '--uid'],
    },
    'systemd-inhibit': { options: '--what= --who= --why= --mode= --list --no-pager --no-legend' },
    'systemd-cat': { options: 't:p: --identifier= --priority= --stderr-priority= --level-prefix=' },

    // Namespaces, other roots, emulation
    chroot: { options: '--userspec= --groups= --skip-chdir --help --version', skip: 1, shellAlone: true },
    unshare: {
      options: `fcr m::u::i::n::p::U::C::T::R:S:G:w:l: --fork --map-root-user --map-current-user --map-auto --keep-caps --mount[=]
      --uts[=] --ipc[=] --net[=] --pid[=] --user[=] --cgroup[=] --time[=] --map-user= --map-group= --map-users=
      --map-groups= --kill-child[=] --mount-proc[=] --mount-binfmt[=] --propagation= --setgroups= --root= --wd=
      --setuid= --setgid= --monotonic= --boottime= --load-interp=`,
      shellAlone: true,
    },
    nsenter: {
      options: `aFeZc t:m::u::i::n::p::U::C::T::S:G:r::w::W: --all --target= --mount[=] --uts[=] --ipc[=] --net[=] --pid[=]
      --user[=] --cgroup[=] --time[=] --setuid= --setgid= --preserve-credentials --root[=] --wd[=] --wdns[=] --env
      --no-fork --follow-context --keep-caps --join-cgroup`,
      shellAlone: true,
    },
    'systemd-nspawn': {
      options: `abnqxPU D:i:M:u:p:E: --boot --quiet --ephemeral --read-only --private-network --as-pid2 --pipe --directory=
      --image= --template= --machine= --user= --bind= --bind-ro= --tmpfs= --setenv= --chdir= --capability=`,
      folder: ['--chdir'],
    },
    'arch-chroot': { options: 'NhrS u: --userspec=', skip: 1, shellAlone: true },
    bwrap: {
      options: `--unshare-all --unshare-user --unshare-user-try --unshare-ipc --unshare-pid --unshare-net --unshare-uts
      --unshare-cgroup --unshare-cgroup-try --share-net --die-with-parent --as-pid-1 --new-session --clearenv
      --disable-userns --assert-userns-disabled --bind== --bind-try== --dev-bind== --dev-bind-try== --ro-bind==
      --ro-bind-try== --setenv== --symlink== --file== --bind-data== --ro-bind-data== --chmod== --overlay== --remount-ro=
      --overlay-src= --tmp-overlay= --ro-overlay= --chdir= --dev= --proc= --tmpfs= --mqueue= --dir= --unsetenv= --uid=
      --gid= --hostname= --args= --argv0= --userns= --pidns= --exec-label= --file-label= --lock-file= --sync-fd=
      --block-fd= --info-fd= --json-status-fd= --seccomp= --add-seccomp-fd= --size= --perms= --cap-add= --cap-drop=`,
      folder: ['--chdir'],
    },
    firejail: {
      options:
        'q c --quiet --noprofile --private[=] --net= --profile= --caps.drop= --seccomp[=] --noroot --nogroups --shell=',
    },
    proot: {
      options: 'hVv0 r:b:w:k:q:i:m:R:S: --rootfs= --bind= --pwd= --qemu= --root-id',
      shellAlone: true,
    },
    fakeroot: { options: 'huv l:f:i:s:b: --lib= --faked= --unknown-is-real --version', shellAlone: true },
    fakechroot: {
      options: 'hvs e:d:l:b:c: --lib= --elfloader= --environment= --config-dir= --use-system-libs',
    },
    setarch: { options: 'RFZLX3SIT B --addr-no-randomize --verbose --uname-2.6 --32bit', skip: 1 },
    linux32: { options: 'RFZLX3SITBv' },
    linux64: { options: 'RFZLX3SITBv' },
    arch: { options: 'c d:e: 32 64 -x86_64 -arm64 -arm64e -i386' },
    'ip netns exec': { options: '', skip: 1 },
    busybox: { options: '' },
    toybox: { options: '' },

    // Watching, measuring, repeating
    strace: {
      options: `CcdDfFhiknNqrtTvVwxyYzZ a:b:e:E:I:o:O:p:P:s:S:u:U:X: --follow-forks --summary --summary-only --trace= --output=
      --attach= --env= --user= --string-limit= --decode-fds[=] --quiet[=] --seccomp-bpf --timestamps[=]`,
      quiet: ['-p', '--attach'],
    },
    ltrace: { options: 'bcCfhiLrStTvVx: A:a:D:e:F:l:n:o:p:s:u:w:X: --output= --library=', quiet: ['-p'] },
    valgrind: {
      options:
        'qvdh --tool= --leak-check= --track-origins= --log-file= --error-exitcode= --xml= --xml-file= --suppressions= --show-leak-kinds= --trace-children= --num-callers= --gen-suppressions=',
    },
    'perf stat': {
      options: 'aidxv e:p:t:r:o:C:I: --repeat= --event= --output= --all-cpus --detailed --no-inherit',
    },
    'perf record': { options: 'agv e:p:t:F:o:C:c: --call-graph= --event= --freq= --output= --all-cpus' },
    watch: {
      options:
        'bcCdegtxrw n:q: --beep --color --no-color --differences[=] --errexit --chgexit --no-title --exec --no-wrap --precise --interval= --equexit= --no-rerun',
      run: 'joined',
    },
    entr: { options: 'acdnprxz s:', script: ['-s'] },
    rlwrap: { options: 'acimnNrRsvwz A:b:C:D:e:f:g:H:l:M:o:O:p:P:q:S:t:' },
    script: {
      options:
        'aefq c:B:E:I:O:T:t::m:o: --append --command= --return --flush --force --quiet --echo= --log-in= --log-out= --log-io= --log-timing= --logging-format= --output-limit= --timing[=]',
      run: 'none',
      mixed: true,
      script: ['-c', '--command'],
      shellAlone: true,
    },
    flock: {
      options:
        'sxeunFov w:E:c: --shared --exclusive --unlock --nonblock --nb --no-fork --close --verbose --wait= --timeout= --conflict-exit-code= --command= --fcntl',
      skip: 1,
      script: ['-c', '--command'],
      mixed: true,
    },
    hyperfine: {
      options: `iN w:m:M:r:s:p:c:n:L:P:D:S:u: --warmup= --runs= --min-runs= --max-runs= --prepare= --cleanup= --setup= --shell=
      --export-json= --export-markdown= --ignore-failure --show-output --command-name= --parameter-list= --style=
      --time-unit= --output= --input=`,
      run: 'each',
      mixed: true,
      script: ['-p', '--prepare', '-c', '--cleanup', '-s', '--setup'],
    },

    // Words of the shell
    command: { options: 'pvV', quiet: ['-v', '-V'], shell: 'builtins' },
    builtin: { options: '', shell: 'builtins' },
    exec: { options: 'cl a:' },
    coproc: { options: '', assigns: true, shell: 'all' },
    noglob: { options: '', shell: 'all' },
    nocorrect: { options: '', shell: 'all' },
    '-': { options: '', shell: 'all' },

    // Other machines and containers
    ssh: { options: SSH, skip: 1, run: 'joined', mixed: true, remote: true, shellAlone: true },
    slogin: { options: SSH, skip: 1, run: 'joined', mixed: true, remote: true, shellAlone: true },
    autossh: { options: `${SSH} M:`, skip: 1, run: 'joined', mixed: true, remote: true },
    mosh: { options: '46 p: --client= --server= --ssh= --predict= --port=', skip: 1, remote: true },
    sshpass: { options: 'ehvV p:f:d:P:' },
    rsh: { options: 'dnx l:p:k:', skip: 1, run: 'joined', remote: true },
    'vagrant ssh': {
      options: 'pt c: --command= --plain --tty',
      run: 'none',
      script: ['-c', '--command'],
      mixed: true,
      remote: true,
    },
    'gcloud compute ssh': {
      options:
        '--command= --zone= --project= --ssh-flag= --tunnel-through-iap --internal-ip --quiet --plain --ssh-key-file=',
      run: 'none',
      script: ['--command'],
      mixed: true,
      remote: true,
    },
    'docker exec': { options: CONTAINER_EXEC, skip: 1, remote: true },
    'docker container exec': { options: CONTAINER_EXEC, skip: 1, remote: true },
    'docker run': { options: CONTAINER_RUN, skip: 1, remote: true },
    'docker container run': { options: CONTAINER_RUN, skip: 1, remote: true },
    'docker compose exec': { options: COMPOSE_RUN, skip: 1, remote: true },
    'docker compose run': { options: COMPOSE_RUN, skip: 1, remote: true },
    'docker-compose exec': { options: COMPOSE_RUN, skip: 1, remote: true },
    'docker-compose run': { options: COMPOSE_RUN, skip: 1, remote: true },
    'podman exec': { options: CONTAINER_EXEC, skip: 1, remote: true },
    'podman run': { options: CONTAINER_RUN, skip: 1, remote: true },
    'nerdctl exec': { options: CONTAINER_EXEC, skip: 1, remote: true },
    'nerdctl run': { options: CONTAINER_RUN, skip: 1, remote: true },
    'crictl exec': { options: 'its r: --interactive --tty --sync --timeout=', skip: 1, remote: true },
    'lxc exec': {
      options: 'tTn --force-interactive --mode= --cwd= --env= --user= --group=',
      skip: 1,
      dashes: true,
      remote: true,
    },
    'incus exec': {
      options: 'tTn --force-interactive --mode= --cwd= --env= --user= --group=',
      skip: 1,
      dashes: true,
      remote: true,
    },
    'lxc-attach': {
      options: 'n:e --name= --clear-env --keep-env --set-var=',
      dashes: true,
      remote: true,
      shellAlone: true,
    },
    'machinectl shell': { options: 'E:q --uid= --setenv= --quiet', skip: 1, remote: true, elevates: true },
    'kubectl exec': { options: KUBECTL_EXEC, mixed: true, dashes: true, remote: true },
    'kubectl run': { options: KUBECTL_RUN, mixed: true, dashes: true, remote: true },
    'kubectl debug': {
      options: `${KUBECTL_EXEC} --image= --copy-to= --target= --share-processes --profile=`,
      mixed: true,
      dashes: true,
      remote: true,
    },
    'oc exec': { options: KUBECTL_EXEC, mixed: true, dashes: true, remote: true },
    'oc rsh': { options: 'tT n:c: --shell= --container= --namespace=', skip: 1, remote: true },
    'heroku run': {
      options: 'a:r:x --app= --remote= --size= --type= --env= --exit-code --no-tty',
      run: 'joined',
      mixed: true,
      remote: true,
    },
    'fly ssh console': {
      options: 'a:C:s:g: --app= --command= --select --pty --user=',
      run: 'none',
      script: ['-C', '--command'],
      mixed: true,
      remote: true,
    },

    // Sub-commands that take a command
    'git bisect run': { options: '' },
    'git submodule foreach': { options: 'q --recursive --quiet', run: 'joined' },
    'tmux new-session': { options: 'AdDEPX c:e:f:F:n:s:t:x:y:', run: 'joined' },
    'tmux new': { options: 'AdDEPX c:e:f:F:n:s:t:x:y:', run: 'joined' },
    'tmux new-window': { options: 'abdkPS c:e:F:n:t:', run: 'joined' },
    'tmux split-window': { options: 'bdfhIvPZ c:e:F:l:t:', run: 'joined' },
    'tmux run-shell': { options: 'bC c:d:t:', run: 'joined' },
    'tmux send-keys': { options: 'FHKlMRX c:N:t:', run: 'each' },
    'tmux send': { options: 'FHKlMRX c:N:t:', run: 'each' },
    stuff: { options: '', run: 'each' },
    'zellij action write-chars': { options: '', run: 'each' },
    'xdotool type': {
      options: '--delay= --window= --clearmodifiers --terminator=',
      run: 'each',
      mixed: true,
    },
    'ydotool type': { options: '--key-delay=', run: 'each', mixed: true },
    'tmux respawn-pane': { options: 'k c:e:t:', run: 'joined' },
    screen: { options: 'aAdDfiLlmOqRUvwxX c:e:h:p:s:S:t:T: -dmS= -ls -wipe', quiet: ['-l', '-x', '-r'] },
    'cargo watch': {
      options: 'cq x:s:w:i:d: --exec= --shell= --watch= --ignore= --delay=',
      run: 'none',
      script: ['-s', '--shell'],
      mixed: true,
    },
    watchexec: {
      options:
        'cnrpqv w:e:i:s:d:f:o: --watch= --exts= --ignore= --signal= --restart --clear --shell= --on-busy-update=',
    },
    nodemon: {
      options: 'qVLI w:e:x:i:d: --exec= --watch= --ext= --ignore= --delay= --quiet --verbose --signal=',
      run: 'none',
      script: ['-x', '--exec'],
      mixed: true,
    },

    chronic: { options: 've' },
    ifne: { options: 'n' },
    eatmydata: { options: '' },
    faketime: { options: 'mfp:', skip: 1 },
    cpulimit: { options: 'ikvz c:e:l:p:P: --limit= --cpu= --exe= --pid= --path= --foreground --kill --lazy' },
    trickle: { options: 's d:u:w:t:l:p:n:' },
    tsocks: { options: '' },
    choom: { options: 'n:p: --adjust= --pid=' },
    'prime-run': { options: '' },
    optirun: { options: 'b:' },
    gamemoderun: { options: '' },
    mangohud: { options: '' },
    cgexec: { options: 'g: --sticky' },
    'aa-exec': { options: 'dvi p:n:a: --profile= --namespace=' },
    runcon: { options: 'c t:u:r:l: --type= --user= --role= --range=' },
    dtruss: { options: 'acdefhlLost n:p:' },
    'rr record': { options: 'nS c:o:' },
    heaptrack: { options: 'd o:' },
    kcov: { options: '', skip: 1 },
    multitime: { options: 'n:i:o:q:s:r:' },
    gtime: { options: 'pavq f:o: --format= --output= --verbose' },
    retry: { options: '' },
    winpty: { options: '' },
    graftcp: { options: '' },
    'tini-static': { options: 'svwgh p:e:' },
    catatonit: { options: 'P g' },
    'flatpak-spawn': {
      options: 'vr --host --watch-bus --clear-env --sandbox --no-network --env= --directory=',
    },
    'multipass exec': {
      options: 'd: --working-directory= --no-map-working-directory',
      dashes: true,
      remote: true,
    },
    'limactl shell': { options: '--workdir= --shell= --debug --tty=', skip: 1, remote: true },
    'colima ssh': { options: 'p: --profile=', dashes: true, remote: true },
    'minikube ssh': { options: 'p:n: --profile= --node= --native-ssh', run: 'joined', remote: true },
    'distrobox enter': { options: 'n: --name= --root --no-tty --additional-flags=', dashes: true },
    'toolbox run': { options: 'c:r:d: --container= --release= --distro=' },
    'infisical run': {
      options: '--env= --path= --projectId= --command= --watch',
      dashes: true,
      script: ['--command'],
    },
    'chamber exec': { options: '', dashes: true },
    'dotenvx run': { options: 'f: --env-file= --quiet --overload', dashes: true },
    'railway run': { options: 's:e: --service= --environment=' },
    'teller run': { options: 'c: --config= --shell', dashes: true },
    'lerna exec': { options: '--scope= --ignore= --parallel --stream --concurrency=', dashes: true },
    'guix shell': { options: 'CNP D: --container --pure --network', dashes: true },
    pssh: {
      options: 'iIP h:H:l:p:t:o:e:O:x: --hosts= --host= --user= --par= --inline --timeout=',
      run: 'joined',
      remote: true,
    },
    'parallel-ssh': {
      options: 'iIP h:H:l:p:t:o:e:O:x: --hosts= --host= --user=',
      run: 'joined',
      remote: true,
    },
    pdsh: { options: 'abgRSd w:x:l:f:t:u:', run: 'joined', remote: true },
    clush: { options: 'aqvbBSL w:x:g:l:f:t:u:o:', run: 'joined', remote: true },
    newgrp: { options: '', skip: 1 },
    'sops exec-env': { options: '--background', skip: 1, run: 'joined' },
    'wait-for-it': { options: 'hqst: --host= --port= --timeout= --strict --quiet', dashes: true },

    // Packages and tool chains
    npx: {
      options:
        'yqp:c: --yes --no --no-install --quiet --ignore-existing --prefer-offline --package= --call= --workspace= --workspaces --node-options=',
      script: ['-c', '--call'],
    },
    bunx: { options: 'p: --bun --package= --silent --verbose' },
    pnpx: { options: 'yqp:c: --yes --package= --call=' },
    'npm exec': {
      options: 'yqp:c: --yes --no --package= --call= --workspace= --workspaces',
      script: ['-c', '--call'],
    },
    'npm x': { options: 'yqp:c: --yes --no --package= --call=', script: ['-c', '--call'] },
    'pnpm exec': { options: 'rc --recursive --shell-mode --parallel' },
    'pnpm dlx': { options: 'c --package= --shell-mode' },
    'yarn exec': { options: '' },
    'yarn dlx': { options: 'qp: --quiet --package=' },
    'composer exec': { options: 'lqvn d: --list --working-dir= --no-interaction --quiet' },
    'bundle exec': { options: '--keep-file-descriptors --gemfile=' },
    'poetry run': { options: 'q' },
    'pipenv run': { options: '' },
    'pipx run': { options: '--spec= --no-cache --python= --pip-args= --system-site-packages --verbose' },
    uvx: {
      options: 'qv p: --from= --with= --python= --quiet --verbose --isolated --refresh --no-cache --offline',
    },
    'uv run': {
      options:
        'qvm: p: --with= --extra= --group= --python= --frozen --locked --isolated --no-project --no-sync --quiet --env-file= --directory= --project= --script --no-dev --all-extras --package=',
    },
    'rye run': { options: '' },
    'pdm run': { options: 's --site-packages --no-self' },
    'hatch run': { options: '' },
    'conda run': { options: 'n:p:v --name= --prefix= --no-capture-output --live-stream --cwd= --verbose' },
    'micromamba run': { options: 'n:p: --name= --prefix= --cwd= --attach=' },
    'mise exec': { options: '', dashes: true },
    'asdf exec': { options: '' },
    'direnv exec': { options: '', skip: 1 },
    dotenv: { options: 'f:e:v: --file= --override', dashes: true },
    'cross-env': { options: '', assigns: true },
    'cross-env-shell': { options: '', assigns: true, run: 'joined' },
    'nix develop': { options: 'c:i --command= --ignore-environment --impure', behind: ['-c', '--command'] },
    'nix shell': { options: 'c:i --command= --ignore-environment --impure', behind: ['-c', '--command'] },
    'nix-shell': {
      options: 'p:A:E:I:i:j:Q --run= --command= --packages --pure --keep= --expr=',
      run: 'none',
      mixed: true,
      script: ['--run', '--command'],
    },
    'op run': { options: '--env-file= --no-masking --account=', dashes: true },
    'doppler run': {
      options: 'p:c: --project= --config= --command= --fallback=',
      dashes: true,
      script: ['--command'],
    },
    'aws-vault exec': {
      options: 'nd:j: --no-session --duration= --region= --server --json',
      skip: 1,
      dashes: true,
    },
    torsocks: { options: 'idp:P:a:u: --shell' },
    torify: { options: '' },
    proxychains: { options: 'q f:' },
    proxychains4: { options: 'q f:' },
    'ssh-agent': { options: 'csDdk a:E:O:P:t:' },
    ccache: { options: '' },
    sccache: { options: '' },
    distcc: { options: '' },
    catchsegv: { options: '' },
    'dumb-init': { options: 'cv r: --single-child --verbose --rewrite=' },
    tini: { options: 'svwgh p:e:' },
  }),
);
