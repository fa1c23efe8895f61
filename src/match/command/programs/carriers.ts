/**
 * Options and variables of other programs that hold a command: `tar --checkpoint-action=exec=…`, `GIT_SSH_COMMAND=…`. What
 * they hold is read as a command of its own.
 */

/** How the command is taken out of the value; null if the value holds none. */
type Form = (value: string) => string | null;

const whole: Form = (value) => value;
const behind =
  (pattern: RegExp): Form =>
  (value) =>
    pattern.exec(value)?.[1] ?? null;

const SSH_OPTION = behind(
  /^\s*(?:proxycommand|localcommand|knownhostscommand|permitremoteopen)\s*[= ]\s*(.*)$/is,
);
const GIT_CONFIG = behind(
  /^(?:core\.(?:sshcommand|pager|editor|fsmonitor|askpass|gitproxy)|sequence\.editor|pager\.[^=]+|diff\.external|diff\.[^=]+\.(?:command|textconv)|merge\.[^=]+\.driver|(?:diff|merge)tool\.[^=]+\.cmd|filter\.[^=]+\.(?:clean|smudge|process)|gpg\.program|uploadpack\.packobjectshook|credential\.helper|credential\.[^=]+\.helper|alias\.[^=]+)=!?(.*)$/is,
);
const EXEC = behind(/^exec=(.*)$/is);
const SOCAT = behind(/^(?:exec|system|shell):(.*)$/is);
const APT = behind(/^(?:dpkg|apt)::[^=]*(?:invoke|options?|install-pkgs)[^=]*=(.*)$/is);
const PIPE = behind(/^\|\s*(.*)$/s);

export interface Carrier {
  readonly options: string;
  readonly forms: Readonly<Record<string, Form>>;
  /** What an operand may hold. */
  readonly operand?: Form;
  readonly single?: true;
}

const SSH: Carrier = { options: 'o:S:', forms: { '-o': SSH_OPTION } };
const NC: Carrier = {
  options: 'e:c:p:w:s:g:G:i:o:q:T:X:x: --exec= --sh-exec= --lua-exec=',
  forms: { '-e': whole, '-c': whole, '--exec': whole, '--sh-exec': whole },
};
const APT_GET: Carrier = {
  options: 'o:c:t: --option= --config-file=',
  forms: { '-o': APT, '--option': APT },
};

const PAGED: Carrier = { options: '--pager=', forms: { '--pager': whole } };

export const CARRIERS: ReadonlyMap<string, Carrier> = new Map(
  Object.entries<Carrier>({
    tar: {
      options:
        'b:C:f:F:g:H:I:K:L:N:T:V:X: --checkpoint-action= --to-command= --use-compress-program= --rsh-command= --info-script= --new-volume-script= --rmt-command= --file= --directory= --exclude=',
      forms: {
        '--checkpoint-action': EXEC,
        '--to-command': whole,
        '--use-compress-program': whole,
        '-I': whole,
        '--rsh-command': whole,
        '--info-script': whole,
        '--new-volume-script': whole,
        '--rmt-command': whole,
        '-F': whole,
      },
    },
    rsync: {
      options: 'e:B:f:M:T: --rsh= --rsync-path=',
      forms: { '-e': whole, '--rsh': whole, '--rsync-path': whole },
    },
    scp: SSH,
    sftp: SSH,
    ssh: SSH,
    git: {
      options: 'C:c: --exec-path[=] --git-dir= --work-tree= --config-env=',
      forms: { '-c': GIT_CONFIG },
    },
    'git rebase': {
      options: 'x:s:X:C: --exec= --onto= --strategy=',
      forms: { '-x': whole, '--exec': whole },
    },
    'git clone': {
      options: 'b:o:c:u:j: --upload-pack= --config= --branch= --depth=',
      forms: { '-u': whole, '--upload-pack': whole, '-c': GIT_CONFIG, '--config': GIT_CONFIG },
    },
    'git fetch': { options: 'j:o: --upload-pack=', forms: { '--upload-pack': whole } },
    'git ls-remote': { options: '--upload-pack=', forms: { '--upload-pack': whole } },
    'git push': {
      options: 'o: --receive-pack= --exec=',
      forms: { '--receive-pack': whole, '--exec': whole },
    },
    'git difftool': { options: 'x:t: --extcmd= --tool=', forms: { '-x': whole, '--extcmd': whole } },
    'git grep': {
      options: 'O::e:f:m:A:B:C: --open-files-in-pager[=]',
      forms: { '-O': whole, '--open-files-in-pager': whole },
    },
    'git filter-branch': {
      options:
        'd: --env-filter= --tree-filter= --index-filter= --parent-filter= --msg-filter= --commit-filter= --tag-name-filter=',
      forms: {
        '--env-filter': whole,
        '--tree-filter': whole,
        '--index-filter': whole,
        '--parent-filter': whole,
        '--msg-filter': whole,
        '--commit-filter': whole,
        '--tag-name-filter': whole,
      },
    },
    'git config': { options: '', forms: {}, operand: behind(/^!(.*)$/s) },
    bat: PAGED,
    batcat: PAGED,
    delta: PAGED,
    mysql: PAGED,
    mariadb: PAGED,
    cpio: { options: 'F:I:O:H:D:C:E:M:R: --rsh-command= --file=', forms: { '--rsh-command': whole } },
    man: {
      options: 'P:H::C:L:M:S:e:m:p:R: --pager= --html[=]',
      forms: { '-P': whole, '--pager': whole, '-H': whole, '--html': whole },
    },
    zip: { options: 'b:i:n:t:x: -TT= --unzip-command=', forms: { '--unzip-command': whole, '-TT': whole } },
    split: { options: 'a:b:C:l:n: --filter= --bytes= --lines=', forms: { '--filter': whole } },
    sort: {
      options: 'k:o:S:t:T: --compress-program= --output= --key=',
      forms: { '--compress-program': whole },
    },
    strace: { options: 'o:e:p:s: --output=', forms: { '-o': PIPE, '--output': PIPE } },
    tcpdump: { options: 'z:w:r:i:c:C:G:W:s:', forms: { '-z': whole } },
    nc: NC,
    ncat: NC,
    netcat: NC,
    'nc.traditional': NC,
    socat: { options: 'b:D:g:l:L:t:T:u:U:W:', forms: {}, operand: SOCAT },
    apt: APT_GET,
    'apt-get': APT_GET,
    make: { options: '', forms: {}, operand: behind(/^(?:SHELL|CC|CXX)=(.*)$/s) },
    less: { options: '', forms: {}, operand: behind(/^\+!\s*(.*)$/s) },
    more: { options: '', forms: {}, operand: behind(/^\+!\s*(.*)$/s) },
    'start-stop-daemon': {
      options: 'x:a:p:u:n: --exec= --startas= --pidfile= --user= --name=',
      forms: { '--exec': whole, '-x': whole, '--startas': whole, '-a': whole },
    },
  }),
);

/** Variables whose value other programs, or the shell, run. `text`: it is expanded, and so are commands in it. */
export const CARRYING_VARIABLES: ReadonlyMap<string, 'command' | 'text' | 'file'> = new Map(
  Object.entries<'command' | 'text' | 'file'>({
    PS4: 'text',
    PS0: 'text',
    PS1: 'text',
    PS2: 'text',
    PROMPT_COMMAND: 'command',
    BASH_ENV: 'file',
    ENV: 'file',
    GIT_SSH_COMMAND: 'command',
    GIT_SSH: 'command',
    GIT_PROXY_COMMAND: 'command',
    GIT_EXTERNAL_DIFF: 'command',
    GIT_PAGER: 'command',
    GIT_EDITOR: 'command',
    GIT_SEQUENCE_EDITOR: 'command',
    GIT_ASKPASS: 'command',
    SSH_ASKPASS: 'command',
    SUDO_ASKPASS: 'command',
    PAGER: 'command',
    MANPAGER: 'command',
    SYSTEMD_PAGER: 'command',
    AWS_PAGER: 'command',
    GH_PAGER: 'command',
    BAT_PAGER: 'command',
    DELTA_PAGER: 'command',
    PSQL_PAGER: 'command',
    SYSTEMD_EDITOR: 'command',
    SUDO_EDITOR: 'command',
    KUBE_EDITOR: 'command',
    GH_EDITOR: 'command',
    PSQL_EDITOR: 'command',
    HGEDITOR: 'command',
    SVN_EDITOR: 'command',
    EDITOR: 'command',
    VISUAL: 'command',
    FCEDIT: 'command',
    BROWSER: 'command',
    LESSOPEN: 'command',
    LESSCLOSE: 'command',
    RSYNC_RSH: 'command',
    CVS_RSH: 'command',
    RUSTC_WRAPPER: 'command',
    CARGO_BUILD_RUSTC_WRAPPER: 'command',
  }),
);
