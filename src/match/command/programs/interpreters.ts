/**
 * Programs that run text: which option carries it, whether the first operand is a file of it, and whether it is read from
 * the input if there is none. The text is kept as `code`; commands in it are read again.
 */

export interface Interpreter {
  /** `sh` for shells: the text is read as commands. */
  readonly language: string;
  readonly options: string;
  /** Options whose value is code. */
  readonly code: readonly string[];
  /** Options that make the first operand code: `sh -c`. */
  readonly flag?: readonly string[];
  /** The operand in this place is code, if no option gave any: awk, sed. */
  readonly operand?: 0 | 1;
  /** The operand behind one of these words is code: `deno eval`. */
  readonly behind?: readonly string[];
  /** It runs code only with one of these sub-commands: `manage.py shell`. */
  readonly subs?: readonly string[];
  /** A file of this name in the working folder is run if none is given. */
  readonly usual?: readonly string[];
  /** With this option its value is a file with code for that interpreter: `nvim -l`. */
  readonly as?: readonly [option: string, program: string];
  /** Behind one of these options stands a program with its arguments: `gdb --args`. */
  readonly starts?: readonly string[];
  /** An operand that holds code: `vim +cmd`. */
  readonly marked?: RegExp;
  /** The first operand is a file with code. */
  readonly file?: true;
  /** Options whose value is a file with code. */
  readonly files?: readonly string[];
  /** Reads code from its input if nothing else gives any. */
  readonly stdin?: true;
  /** Options with which no code is read from the input. */
  readonly quiet?: readonly string[];
  /** Unknown pieces in it are everyday: `sed "s/x/$y/"`. */
  readonly loose?: true;
  readonly mixed?: true;
  readonly single?: true;
}

const SHELL: Interpreter = {
  language: 'sh',
  options: `abefhiklmnprstuvxBCDEGHIPTVX c o:O: --login --posix --norc --noprofile --restricted --verbose --rcfile= --init-file=
    --noediting --debugger --dump-strings --dump-po-strings --help --version --pretty-print --no-rcs --no-globalrcs --emulate=`,
  code: [],
  flag: ['-c'],
  file: true,
  stdin: true,
  quiet: ['--version', '--help', '-n'],
};
const PYTHON: Interpreter = {
  language: 'python',
  options: 'bBdEhiIOPqRsSuvVx? c:m:W:X:Q: --help --version --check-hash-based-pycs=',
  code: ['-c'],
  file: true,
  stdin: true,
  quiet: ['-m', '-V', '--version', '-h', '--help'],
};
const NODE: Interpreter = {
  language: 'javascript',
  options: `cihpv e:r:C: --eval= --print --check --interactive --require= --import= --input-type= --loader=
    --experimental-loader= --inspect[=] --inspect-brk[=] --max-old-space-size= --no-warnings --trace-warnings --test
    --watch --env-file= --experimental-strip-types --enable-source-maps --conditions= --version --help --stack-size=
    --expose-gc --title= --unhandled-rejections= --test-reporter= --test-name-pattern= --test-only --run=
    --experimental-vm-modules --disable-warning= --preserve-symlinks --permission`,
  code: ['-e', '--eval'],
  flag: ['-p', '--print'],
  file: true,
  stdin: true,
  quiet: ['-v', '--version', '-h', '--help', '--test', '--run', '-c', '--check'],
};
const VIM: Interpreter = {
  language: 'vim',
  options: 'bdeEnNrRsSvyZ c:u:U:i:T:w:W: --cmd= --headless --clean --noplugin --embed -es -Es',
  code: ['-c', '--cmd'],
  marked: /^\+:?(?=\D)(.*)$/s,
  loose: true,
  mixed: true,
};
const DJANGO: Interpreter = {
  language: 'python',
  options: 'c:i:v: --command= --interface= --settings= --pythonpath= --verbosity=',
  code: ['-c', '--command'],
  subs: ['shell', 'shell_plus'],
  stdin: true,
  mixed: true,
};
const MAKE: Interpreter = {
  language: 'make',
  options:
    'bBdeikLnpqrRsStvw C:f:E:I:j::l::o:W: --eval= --file= --makefile= --directory= --jobs[=] --include-dir= --dry-run --just-print --recon',
  code: ['--eval', '-E'],
  files: ['-f', '--file', '--makefile'],
  usual: ['Makefile', 'makefile', 'GNUmakefile'],
  quiet: ['-n', '--dry-run', '--just-print', '--recon', '-q'],
  loose: true,
  mixed: true,
};
const SQL_SHELL = { language: 'sql', stdin: true, loose: true, mixed: true } as const;

export const INTERPRETERS: ReadonlyMap<string, Interpreter> = new Map(
  Object.entries<Interpreter>({
    sh: SHELL,
    bash: SHELL,
    dash: SHELL,
    ash: SHELL,
    zsh: SHELL,
    ksh: SHELL,
    ksh93: SHELL,
    mksh: SHELL,
    yash: SHELL,
    rbash: SHELL,
    fish: {
      ...SHELL,
      language: 'fish',
      options: 'iIlnNPv c:C:d:f:o:p: --command= --init-command=',
      code: ['-c', '-C', '--command', '--init-command'],
      flag: [],
    },
    csh: { ...SHELL, language: 'csh' },
    tcsh: { ...SHELL, language: 'csh' },
    elvish: { ...SHELL, language: 'elvish' },
    xonsh: { ...SHELL, language: 'xonsh', options: 'il c:', code: ['-c'], flag: [] },
    nu: {
      ...SHELL,
      language: 'nu',
      options: 'il c:e: --commands= --execute=',
      code: ['-c', '--commands', '-e', '--execute'],
      flag: [],
    },
    pwsh: {
      language: 'powershell',
      options:
        '-Command= -c= -EncodedCommand= -enc= -e= -File= -f= -NoProfile -nop -NonInteractive -NoLogo -ExecutionPolicy= -ep= -WindowStyle= -w=',
      code: ['-Command', '-c', '-EncodedCommand', '-enc', '-e'],
      stdin: true,
      file: true,
      single: true,
    },
    powershell: {
      language: 'powershell',
      options:
        '-Command= -c= -EncodedCommand= -enc= -e= -File= -f= -NoProfile -nop -NonInteractive -NoLogo -ExecutionPolicy= -ep= -WindowStyle= -w=',
      code: ['-Command', '-c', '-EncodedCommand', '-enc', '-e'],
      stdin: true,
      file: true,
      single: true,
    },
    cmd: { language: 'cmd', options: '', code: [], operand: 0, stdin: true },
    python: PYTHON,
    python2: PYTHON,
    python3: PYTHON,
    pypy: PYTHON,
    pypy3: PYTHON,
    ipython: PYTHON,
    jython: PYTHON,
    node: NODE,
    nodejs: NODE,
    bun: {
      language: 'javascript',
      options: 'e:p: --eval= --print= --cwd= --config=',
      code: ['-e', '-p', '--eval', '--print'],
    },
    deno: {
      language: 'javascript',
      options: 'A --ext= --allow-all',
      code: [],
      behind: ['eval'],
      mixed: true,
    },
    tsx: { ...NODE, stdin: undefined },
    'ts-node': { ...NODE, stdin: undefined },
    zx: { ...NODE, stdin: undefined },
    perl: {
      language: 'perl',
      // `-l` and `-0` take digits only, and letters follow: `-le`, `-0777ne`.
      options: 'acfhlnpsStTuUvwWX01234567 C::d::D::i::V::x:: e:E:F:I:m:M:',
      code: ['-e', '-E'],
      file: true,
      stdin: true,
      quiet: ['-v', '-V', '-h'],
    },
    ruby: {
      language: 'ruby',
      options:
        'achlnpsSvwy 0::F:i::K::W::x:: e:C:E:I:r:T:: --version --help --disable= --enable= --encoding= --external-encoding= --jit --yjit',
      code: ['-e'],
      file: true,
      stdin: true,
      quiet: ['-v', '--version', '-h'],
    },
    rake: {
      language: 'ruby',
      options:
        'ABGhmnNPqstTvVwWX C:D:e:E:f:g:I:j::p:r:R: --execute= --execute-print= --execute-continue= --rakefile= --require=',
      code: ['-e', '-p', '-E', '--execute', '--execute-print', '--execute-continue'],
      loose: true,
      mixed: true,
    },
    irb: { language: 'ruby', options: 'f r:I: --noecho --simple-prompt', code: [], file: true, stdin: true },
    php: {
      language: 'php',
      options: 'aChHilmnqsvw c:d:f:F:r:B:R:E:S:t:z: --run= --file= --version --ini --modules',
      code: ['-r', '-B', '-R', '-E', '--run'],
      file: true,
      files: ['-f', '--file'],
      stdin: true,
      quiet: ['-v', '-m', '-i', '-S', '-l', '--version', '--ini', '--modules'],
    },
    lua: { language: 'lua', options: 'iEvW e:l:', code: ['-e'], file: true, stdin: true, quiet: ['-v'] },
    luajit: {
      language: 'lua',
      options: 'iEv e:l:b:j:O:',
      code: ['-e'],
      file: true,
      stdin: true,
      quiet: ['-v'],
    },
    tclsh: { language: 'tcl', options: '', code: [], file: true, stdin: true },
    wish: {
      language: 'tcl',
      options: '-f= -file= -display= -geometry= -name= -sync',
      code: [],
      file: true,
      files: ['-f', '-file'],
      stdin: true,
      single: true,
    },
    expect: {
      language: 'tcl',
      options: 'diNnv b:c:f:',
      code: ['-c'],
      file: true,
      files: ['-f', '-b'],
      stdin: true,
    },
    rscript: {
      language: 'r',
      options: 'e: --vanilla --verbose --default-packages= --slave --no-save',
      code: ['-e'],
      file: true,
    },
    r: {
      language: 'r',
      options: 'qse:f: --vanilla --slave --no-save --quiet --args --file=',
      code: ['-e'],
      files: ['-f', '--file'],
      stdin: true,
    },
    julia: {
      language: 'julia',
      options: 'ieEqL:p:t:J: e:E: --eval= --print= --project[=] --startup-file= --threads=',
      code: ['-e', '-E', '--eval', '--print'],
      file: true,
      stdin: true,
    },
    rails: { language: 'ruby', options: 'e: --environment=', code: [], behind: ['runner', 'r'] },
    mix: { language: 'elixir', options: 'e:r: --eval=', code: ['-e', '--eval'], mixed: true },
    iex: { language: 'elixir', options: 'e:r:S: --eval=', code: ['-e', '--eval'], file: true, stdin: true },
    erl: {
      language: 'erlang',
      options: '-eval= -noshell -noinput -s= -sname= -name=',
      code: ['-eval'],
      single: true,
    },
    ghc: { language: 'haskell', options: 'e:i: --make', code: ['-e'] },
    kotlin: {
      language: 'kotlin',
      options: 'e: -expression= -classpath=',
      code: ['-e', '-expression'],
      single: true,
    },
    swift: { language: 'swift', options: 'e:', code: ['-e'], file: true },
    bb: { language: 'clojure', options: 'e:f: --eval=', code: ['-e', '--eval'], file: true },
    clojure: { language: 'clojure', options: 'e:M --eval=', code: ['-e', '--eval'] },
    clj: { language: 'clojure', options: 'e:M --eval=', code: ['-e', '--eval'] },
    racket: { language: 'scheme', options: 'e: --eval=', code: ['-e', '--eval'], file: true },
    sbcl: {
      language: 'lisp',
      options: '--eval= --load= --script= --noinform --non-interactive',
      code: ['--eval'],
      file: true,
    },
    ocaml: { language: 'ocaml', options: 'e:', code: ['-e'], file: true },
    jshell: { language: 'java', options: 'sv R:', code: [], file: true, stdin: true },
    ghci: { language: 'haskell', options: 'e:i:', code: ['-e'], stdin: true },
    runghc: { language: 'haskell', options: '', code: [], file: true, stdin: true },
    raku: { language: 'perl', options: 'e:I:M:n p', code: ['-e'], file: true, stdin: true },
    crystal: { language: 'ruby', options: '', code: [], behind: ['eval'], mixed: true },
    janet: { language: 'janet', options: 'e:', code: ['-e'], file: true, stdin: true },
    groovysh: { language: 'groovy', options: 'e:q', code: ['-e'], stdin: true },
    'dotnet-script': { language: 'csharp', options: '', code: [], behind: ['eval'], file: true },
    gst: { language: 'smalltalk', options: 'f:', code: [], file: true, stdin: true },
    elixir: { language: 'elixir', options: 'e:r:S: --eval=', code: ['-e', '--eval'], file: true },
    osascript: { language: 'applescript', options: 'i e:l:s:', code: ['-e'], file: true, stdin: true },
    groovy: { language: 'groovy', options: 'e:c:l:', code: ['-e'], file: true },
    scala: { language: 'scala', options: 'e:', code: ['-e'], file: true },
    guile: { language: 'scheme', options: 'c:l:s:e:L:q', code: ['-c'], file: true, stdin: true },
    emacs: {
      language: 'lisp',
      options: 'Qqn l:f:L: --batch --eval= --execute= --load= --funcall= --script= --quick',
      code: ['-eval', '-execute'],
      mixed: true,
      single: true,
    },
    emacsclient: {
      language: 'lisp',
      options: 'cntqae: a:s:f: --eval --alternate-editor=',
      code: ['-e', '--eval'],
      mixed: true,
    },
    awk: {
      language: 'awk',
      options:
        'bcCghIkMnNOPrsStVd::D::L::o::p:: e:E:f:F:i:l:v:W: --source= --file= --exec= --include= --assign= --field-separator= --posix --sandbox --version',
      code: ['-e', '--source'],
      operand: 0,
      files: ['-f', '--file', '-E', '--exec'],
      loose: true,
    },
    sed: {
      language: 'sed',
      options:
        'EnrszuG i::l: e:f: --expression= --file= --in-place[=] --quiet --silent --regexp-extended --null-data --separate --unbuffered --follow-symlinks --sandbox --posix --debug --line-length= --version',
      code: ['-e', '--expression'],
      operand: 0,
      files: ['-f', '--file'],
      loose: true,
      mixed: true,
    },
    ed: { language: 'ed', options: 's p: --quiet --silent --prompt=', code: [], stdin: true, loose: true },
    ex: { ...VIM, stdin: true },
    vi: VIM,
    vim: VIM,
    gvim: VIM,
    rvim: VIM,
    view: VIM,
    vimdiff: VIM,
    nvim: { ...VIM, options: `${VIM.options} l:`, as: ['-l', 'lua'] },
    make: MAKE,
    gmake: MAKE,
    'manage.py': DJANGO,
    'django-admin': DJANGO,
    artisan: {
      language: 'php',
      options: '--execute=',
      code: ['--execute'],
      subs: ['tinker'],
      stdin: true,
      mixed: true,
    },
    wp: {
      language: 'php',
      options: '--path= --url= --skip-wordpress',
      code: [],
      behind: ['eval'],
      mixed: true,
    },
    drush: {
      language: 'php',
      options: 'r:l:y --root= --uri=',
      code: [],
      behind: ['php:eval', 'php-eval', 'ev', 'eval'],
      mixed: true,
    },
    bc: { language: 'bc', options: 'lwsqiv --mathlib --quiet', code: [], stdin: true, loose: true },
    dc: {
      language: 'dc',
      options: 'e:f: --expression= --file=',
      code: ['-e', '--expression'],
      stdin: true,
      loose: true,
    },
    gdb: {
      language: 'gdb',
      options:
        'nqx: p:c:s: -ex= -eval-command= -x= -batch -args -p= -iex= --ex= --batch --args --eval-command= --command=',
      code: ['-ex', '-eval-command', '-iex'],
      starts: ['-args'],
      single: true,
      stdin: true,
    },
    psql: {
      ...SQL_SHELL,
      options:
        'aAbeEHlLnqsStwWxXz01?V c:d:f:F:h:L:o:p:P:R:T:U:v: --command= --dbname= --file= --host= --port= --username= --set= --variable= --output= --no-psqlrc --tuples-only --quiet --list --version --single-transaction --csv --no-align --field-separator= --log-file=',
      code: ['-c', '--command'],
      files: ['-f', '--file'],
      quiet: ['-l', '--list', '-V', '--version'],
    },
    mysql: {
      ...SQL_SHELL,
      options:
        'AbBcCEfGHiLnNoqrstUvVwWX p::D:e:h:P:S:u:j --execute= --database= --host= --port= --user= --password[=] --socket= --batch --silent --skip-column-names --table --force --defaults-file= --ssl-mode= --protocol= --default-character-set=',
      code: ['-e', '--execute'],
      quiet: ['-V'],
    },
    mariadb: {
      ...SQL_SHELL,
      options:
        'AbBcCEfGHiLnNoqrstUvVwWX p::D:e:h:P:S:u: --execute= --database= --host= --port= --user= --password[=] --socket= --batch --silent',
      code: ['-e', '--execute'],
      quiet: ['-V'],
    },
    sqlite3: {
      language: 'sql',
      operand: 1,
      options:
        '-cmd= -init= -separator= -nullvalue= -csv -json -line -list -html -batch -bail -readonly -header -noheader -column -box -table -echo -version',
      code: ['-cmd'],
      single: true,
      stdin: true,
      loose: true,
    },
    duckdb: {
      language: 'sql',
      operand: 1,
      options: '-c= -cmd= -s= -init= -csv -json -readonly -box',
      code: ['-c', '-s', '-cmd'],
      single: true,
      stdin: true,
      loose: true,
      mixed: true,
    },
    clickhouse: {
      ...SQL_SHELL,
      options: 'q:h:u:d: --query= --host= --user= --password= --database= --port= --multiquery --format=',
      code: ['-q', '--query'],
    },
    'clickhouse-client': {
      ...SQL_SHELL,
      options: 'q:h:u:d: --query= --host= --user= --password= --database= --port= --multiquery --format=',
      code: ['-q', '--query'],
    },
    sqlcmd: { ...SQL_SHELL, options: 'ELNbC S:U:P:d:Q:q:i:o:h:s:W:', code: ['-Q', '-q'], files: ['-i'] },
    mongosh: {
      language: 'javascript',
      options: 'u:p: --eval= --quiet --host= --port= --username= --password= --nodb --norc --file=',
      code: ['--eval'],
      stdin: true,
      loose: true,
      mixed: true,
    },
    mongo: {
      language: 'javascript',
      options: 'u:p: --eval= --quiet --host= --port= --username= --password= --nodb --norc',
      code: ['--eval'],
      stdin: true,
      loose: true,
      mixed: true,
    },
    'redis-cli': {
      language: 'redis',
      options:
        'h:p:a:n:r:i:u:x --user= --pass= --raw --no-auth-warning --tls --scan --eval= --pipe --cluster',
      code: [],
      stdin: true,
      loose: true,
    },
    cqlsh: {
      ...SQL_SHELL,
      options: 'e:f:k:u:p: --execute= --file= --keyspace= --ssl',
      code: ['-e', '--execute'],
      files: ['-f'],
    },
    at: {
      language: 'sh',
      options: 'mlrvVdbM f:q:t:c',
      code: [],
      stdin: true,
      quiet: ['-l', '-r', '-d', '-c', '-V'],
    },
    batch: { language: 'sh', options: 'f:q:', code: [], stdin: true },
    crontab: {
      language: 'crontab',
      options: 'elris u:T:n:',
      code: [],
      file: true,
      stdin: true,
      quiet: ['-l', '-e', '-r'],
    },
  }),
);

/** Names that carry a version. */
const VERSIONED = /^(python|perl|ruby|php|lua|node|bash|awk|tclsh|ksh)-?\d+(?:\.\d+)*$/;

const ALIASES: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    gawk: 'awk',
    mawk: 'awk',
    nawk: 'awk',
    original_awk: 'awk',
    gsed: 'sed',
    red: 'ed',
    oksh: 'ksh',
    lksh: 'ksh',
  }),
);

/** `python3.11`, `perl5.36`, `lua5.4`: the name without its version. */
const MOST_KNOWN = 1000;
const KNOWN = new Map<string, Interpreter | undefined>();

export function interpreterOf(program: string): Interpreter | undefined {
  if (KNOWN.has(program)) return KNOWN.get(program);
  const plain = VERSIONED.exec(program)?.[1] ?? '';
  const found = INTERPRETERS.get(ALIASES.get(program) ?? program) ?? INTERPRETERS.get(plain);
  if (KNOWN.size < MOST_KNOWN) KNOWN.set(program, found);
  return found;
}
