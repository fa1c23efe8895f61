/**
 * Zones: whose a path is and what stands there, from the path alone. One list for rules, hooks and sentences. A zone covers
 * those that are written with a dot behind it: `home` covers `home.credentials`. What cannot be known is `unknown`.
 */
import { normalPath } from '../../base/index.ts';

export const ZONES = {
  workspace: 'the project that the agent works in',
  temporary: 'temporary folders',
  generated: 'build output and caches: made again by a build',
  home: 'the home folder of the user',
  'home.documents': 'what a person keeps there: documents, pictures, projects',
  'home.credentials': 'keys, tokens and passwords',
  'home.shell-profile': 'what shells and programs run when they start',
  'home.agent-memory': 'settings and memory of coding agents',
  system: 'the machine',
  'system.config': 'settings of the machine',
  'system.programs': 'installed programs and libraries',
  'system.logs': 'logs',
  'system.devices': 'disks and other devices',
  'other-users': 'home folders of other users',
  unknown: 'only known when the command runs, or outside of all of these',
} as const;

export type Zone = keyof typeof ZONES;
export const ZONE_NAMES = Object.keys(ZONES) as readonly Zone[];

/** Where a command runs. */
export interface RunLocation {
  /** Where it starts, absolute; null if that is not known. */
  readonly cwd: string | null;
  /** The folders of the project, absolute. */
  readonly workspaces: readonly string[];
  /** Null: every home folder counts as the user's. */
  readonly home: string | null;
}

export const UNKNOWN_LOCATION: RunLocation = { cwd: null, workspaces: [], home: null };

/** Whether a zone is one of those named, or stands below one. */
export function inZone(zone: Zone, named: readonly string[]): boolean {
  return named.some((each) => zone === each || zone.startsWith(`${each}.`));
}

const LONGEST = 1024;
const HOME_NAMED = /^(?:~|\/~|\$HOME|\$\{HOME\}|%USERPROFILE%|\$env:USERPROFILE)(?=\/|$)/;
const OTHER_HOME = /^(?:~[\w.-]+|\/(?:home|Users)\/[^/]+|\/root|\/var\/root)(?=\/|$)/;
const TEMPORARY =
  /^(?:\/tmp|\/var\/tmp|\/private\/tmp|\/var\/folders|\/private\/var\/folders|\/dev\/shm|\/run\/user|\$\{?(?:TMPDIR|TMP|TEMP|RUNNER_TEMP|XDG_RUNTIME_DIR)\}?)(?=\/|$)/;
/** The start of a path is not known. */
const UNKNOWN_START = /^(?:\$|%|<\(|\w+:\/\/|[\w.-]+@?[\w.-]*:(?!\\))/;

/** Sinks and handles that hold nothing. */
export function isHarmlessDevice(path: string): boolean {
  return /^\/dev\/(?:null|zero|full|u?random|tty\w*|std(?:in|out|err)|fd(?:\/\d+)?|ptmx|pts\/\d+)$/.test(
    path,
  );
}

const DISK =
  /^\/dev\/(?:(?:sd|hd|vd|xvd)[a-z]|nvme|mmcblk|r?disk\d|disk\/|mapper\/(?!control$)|dm-|md\d|md\/|nbd|pmem|zd\d|bcache|drbd|(?:ada|da|nda|nvd|vtbd)\d|(?:sr|scd|sg|mtd|mtdblock|rbd|ubi|cdrom|dvd|pktcdvd)\d|(?:cdrom|dvd|cdrw|dvdrw|mtd|cciss|ida|rbd|bsg)(?:$|\/)|dasd[a-z]|vg\w*\/|ubuntu-vg\/|(?:mem|kmem|port|kcore)$|block\/|\{\}$|\$\{(?!\w*\}null)|\$\()|^\\\\\.\\PhysicalDrive/;

/** A disk, or what may be one. */
export function isDisk(path: string): boolean {
  return DISK.test(path);
}

/** Folders of Windows that hold what stands elsewhere on other systems; behind the letter of a drive, or below a home folder. */
const ON_WINDOWS: readonly (readonly [RegExp, string])[] = [
  [/^\/Windows\/System32\/drivers\/etc(?=\/|$)/i, '/etc'],
  [/^\/Windows\/(?:System32\/config|NTDS)\/(?:SAM|SYSTEM|SECURITY|ntds\.dit)\b.*$/i, '/etc/shadow'],
  [/^\/Windows\/(?:System32\/)?Tasks(?=\/|$)/i, '/etc/cron.d'],
  [/^\/Windows\/System32\/winevt\/Logs(?=\/|$)/i, '/var/log'],
  [/^\/Windows\/Temp(?=\/|$)/i, '/tmp'],
  [/^\/(?:Windows|Boot|EFI|Recovery)(?=\/|$)/i, '/System'],
  [/^\/(?:bootmgr|boot\.ini|BCD)$/i, '/boot/grub'],
  [/^\/Program Files(?: \(x86\))?(?=\/|$)/i, '/usr/lib'],
  [/^\/ProgramData\/Microsoft\/Windows\/Start Menu\/Programs\/Startup(?=\/|$)/i, '/etc/xdg/autostart'],
  [/^\/ProgramData(?=\/|$)/i, '/var/lib'],
  [/^\/Users(?=\/|$)/i, '/Users'],
];
const BELOW_HOME: readonly (readonly [RegExp, string])[] = [
  [/\/AppData\/Local\/Temp(?=\/|$)/i, '/tmp'],
  [/\/AppData\/Local\/Google\/Chrome\/User Data(?=\/|$)/i, '/.config/google-chrome'],
  [/\/AppData\/Local\/Microsoft\/Edge\/User Data(?=\/|$)/i, '/.config/microsoft-edge'],
  [
    /\/AppData\/(?:Roaming|Local)\/Microsoft\/(?:Credentials|Vault|Protect|Crypto)(?=\/|$)/i,
    '/.local/share/keyrings',
  ],
  [/\/AppData\/Roaming\/Mozilla(?=\/|$)/i, '/.mozilla'],
  [/\/AppData\/Roaming\/GitHub CLI(?=\/|$)/i, '/.config/gh'],
  [/\/AppData\/Roaming\/Microsoft\/Windows\/Start Menu\/Programs\/Startup(?=\/|$)/i, '/.config/autostart'],
  [
    /\/AppData\/Roaming\/Microsoft\/Windows\/PowerShell\/PSReadLine(?=\/|$)/i,
    '/.local/share/powershell/PSReadLine',
  ],
  [/\/AppData\/Local\/(?:npm-cache|pip\/cache|NuGet\/v3-cache|Yarn\/Cache|pnpm\/store)(?=\/|$)/i, '/.cache'],
  [/\/AppData\/Roaming\/(?=gcloud\b)/i, '/.config/'],
  [/\/Documents\/(?:Windows)?PowerShell\/(?=[\w.]*profile\.ps1$)/i, '/.config/powershell/'],
];

/** A path of Windows as one that the zones and sets of other systems know; any other as it is. */
export function asRemotePath(path: string): string {
  const drive = path[1] === ':' && /^[A-Za-z]:(?:[\\/]|$)/.test(path);
  if (!drive && !path.includes('/AppData/') && !path.includes('PowerShell/')) return path;
  let named = drive ? path.slice(2).replaceAll('\\', '/') || '/' : path;
  if (drive) named = replacedFirst(named, ON_WINDOWS);
  return replacedFirst(named, BELOW_HOME);
}

function replacedFirst(path: string, table: readonly (readonly [RegExp, string])[]): string {
  const row = table.find(([pattern]) => pattern.test(path));
  return row === undefined ? path : path.replace(row[0], row[1]);
}

export function zoneOf(written: string, place: RunLocation = UNKNOWN_LOCATION): Zone {
  const path = asRemotePath(written.slice(0, LONGEST))
    .replace(/^file:\/\/(?=[/~$.])/, '')
    .replace(/^\$\{PWD\}\//, './');
  if (TEMPORARY.test(path)) return climbs(path) ? 'unknown' : 'temporary';
  const home = homeRest(path, place);
  if (home !== null) return climbs(home) ? 'unknown' : (ownZone(path, place) ?? homeZone(home));
  if (OTHER_HOME.test(path)) return ownZone(path, place) ?? 'other-users';
  if (path.startsWith('/')) return ownZone(path, place) ?? systemZone(path);
  if (UNKNOWN_START.test(path)) return 'unknown';
  return relativeZone(path, place);
}

/** A `..` that stands behind an unknown piece leads anywhere. */
function climbs(path: string): boolean {
  return /(?:^|\/)\.\.(?:\/|$)/.test(path);
}

/** What stands behind the home folder, without a slash at its start; null if it is not below the user's own. */
function homeRest(path: string, { home }: RunLocation): string | null {
  const named = HOME_NAMED.exec(path);
  if (named !== null) return path.slice(named[0].length).replace(/^\/+/, '');
  if (home !== null) {
    if (path === home) return '';
    return path.startsWith(`${home}/`) ? path.slice(home.length + 1) : null;
  }
  const other = OTHER_HOME.exec(path);
  return other === null ? null : path.slice(other[0].length).replace(/^\/+/, '');
}

/** Below a folder of the project. */
function ownZone(path: string, { workspaces }: RunLocation): Zone | null {
  for (const root of workspaces) {
    if (root.length > 1 && path.startsWith(`${root}/`)) return projectZone(path.slice(root.length + 1));
    if (path === root) return 'workspace';
  }
  return null;
}

function relativeZone(path: string, place: RunLocation): Zone {
  const { cwd, workspaces } = place;
  // A folder of another system, `C:\\app`, leads to no path here.
  if (cwd?.startsWith('/') && (workspaces.length > 0 || climbs(path)))
    return zoneOf(normalPath(`${cwd}/${path}`), {
      ...place,
      workspaces: workspaces.length > 0 ? workspaces : [cwd],
    });
  return climbs(path) ? 'unknown' : projectZone(path.replace(/^\.\//, ''));
}

const GENERATED_NAMES: ReadonlySet<string> = new Set(
  `node_modules dist build out output target obj release debug Debug Release .next .nuxt .output .svelte-kit .turbo .parcel-cache
  .cache .vite .angular .astro .docusaurus .expo .vercel .netlify .wrangler .serverless .nyc_output .webpack .nx coverage
  htmlcov __pycache__ .pytest_cache .mypy_cache .ruff_cache .tox .nox .venv venv .eggs .hypothesis .ipynb_checkpoints _site
  _build Pods DerivedData .gradle .dart_tool .build .stack-work dist-newstyle elm-stuff bower_components .bundle .terraform
  .sass-cache .jekyll-cache CMakeFiles .bazel zig-cache zig-out .zig-cache nimcache .direnv test-results playwright-report
  test-output logs log tmp temp .tmp .temp cache caches artifacts wandb mlruns lightning_logs storybook-static .rollup.cache
  .eslintcache .stylelintcache .tsbuildinfo __generated__ .swc cdk.out .aws-sam .terragrunt-cache allure-results
  allure-report wheelhouse .pio autom4te.cache .deps .libs .coverage .DS_Store Thumbs.db`.split(/\s+/),
);
const GENERATED_FILE =
  /(?:\.(?:pyc|pyo|o|obj|class|log|tmp|temp|swp|swo|orig|rej|tsbuildinfo|pid|gcda|gcno|profraw|egg-info)|[^/]~)$|^(?:cmake-build-|bazel-)/;
/** Folders of what a build makes for the web, beside files that people wrote. */
const GENERATED_PATH = /(?:^|\/)(?:public\/(?:build|packs(?:-test)?)|priv\/static\/assets)(?:\/|$)/;

function projectZone(path: string): Zone {
  const parts = path.split('/');
  if (parts.some((part) => GENERATED_NAMES.has(part)) || GENERATED_PATH.test(path)) return 'generated';
  return GENERATED_FILE.test(parts.at(-1)!) ? 'generated' : 'workspace';
}

const CREDENTIALS =
  /^(?:\.ssh(?!\/(?:(?:config|known_hosts|authorized_keys)\b|[^/]*\.pub$))|\.gnupg|\.aws(?!\/config$)|\.azure|\.kube|\.docker\/config\.json|\.(?:npmrc|pypirc|netrc)$|\.git-credentials|\.vault-token|\.pgpass|\.my\.cnf|\.password-store|\.config\/(?:gcloud|gh|hub|op|rclone|sops|age|doctl|heroku|1Password)|\.local\/share\/keyrings|\.mozilla|\.thunderbird|Library\/(?:Keychains|Cookies)|\.terraform\.d\/credentials|\.cargo\/credentials|\.gem\/credentials|\.huggingface|\.cache\/huggingface\/token|\.codex\/auth\.json|\.claude\/\.credentials\.json|\.oci|\.fly|\.config\/(?:google-chrome|chromium|BraveSoftware)|\.bitcoin|\.ethereum|\.electrum)/;
const SHELL_PROFILE =
  /^(?:\.(?:bash(?:rc|_profile|_login|_logout|_aliases)|profile|zsh(?:rc|env)|z(?:profile|login|logout)|kshrc|cshrc|tcshrc|login|logout|inputrc|xinitrc|xsession|xprofile|pam_environment|vimrc|gdbinit|pythonrc|irbrc|Rprofile|gitconfig|tmux\.conf|screenrc|envrc|direnvrc)$|\.ssh\/(?:authorized_keys|config|rc|environment)|\.config\/(?:fish|autostart|systemd|environment\.d|git|nushell|zsh)(?:\/|$)|Library\/Launch(?:Agents|Daemons)|\.local\/share\/(?:systemd|applications|dbus-1))/;
const AGENT_MEMORY =
  /^(?:\.(?:claude|codex|gemini|cursor|windsurf|codeium|aider[\w.-]*|continue|copilot|harness|opencode|goose|cline)(?:[/.]|$)|\.config\/(?:harness|opencode|goose|github-copilot|Claude)|Library\/Application Support\/(?:Claude|Cursor))/;
const HOME_GENERATED =
  /^(?:\.cache|\.npm|\.yarn\/(?:cache|berry\/cache)|\.pnpm-store|\.gradle\/caches|\.m2\/repository|\.cargo\/(?:registry|git)|go\/pkg|\.pub-cache|\.cocoapods|\.ivy2\/cache|\.nuget\/packages|\.local\/share\/(?:Trash|pnpm\/store|virtualenvs)|Library\/(?:Caches|Logs|Developer\/Xcode\/DerivedData)|\.Trash|\.ccache|\.julia\/compiled|\.vscode-server\/bin|\.ipython\/profile_default\/history\.sqlite|\.virtualenvs|\.pyenv\/versions|\.nvm\/versions|\.android\/(?:cache|build-cache)|\.terraform\.d\/plugin-cache|\.local\/(?:state|share\/nvim\/(?:swap|lazy))|\.config\/(?:Code|Cursor)\/(?:GPU)?Cache\w*|\.deno|\.bun\/install\/cache)(?:\/|$)/;
const DOCUMENTS =
  /^(?:Documents|Desktop|Downloads|Pictures|Music|Videos|Movies|Library|Projects|projects|src|code|work|dev|repos|git|Dropbox|OneDrive|iCloud|Google Drive|Sites|Public)(?:\/|$)/;

function homeZone(rest: string): Zone {
  if (rest === '' || rest === '*' || rest === '.*') return 'home';
  if (HOME_GENERATED.test(rest)) return 'generated';
  if (CREDENTIALS.test(rest)) return 'home.credentials';
  if (SHELL_PROFILE.test(rest)) return 'home.shell-profile';
  if (AGENT_MEMORY.test(rest)) return 'home.agent-memory';
  // A build below a home folder is a build.
  if (rest.includes('/') && projectZone(rest) === 'generated') return 'generated';
  if (/^(?:tmp|\.tmp)(?:\/|$)/.test(rest)) return 'temporary';
  return DOCUMENTS.test(rest) ? 'home.documents' : 'home';
}

const SYSTEM: readonly (readonly [RegExp, Zone])[] = [
  [/^\/dev(?:\/|$)|^\/{1,2}\.\/PhysicalDrive/, 'system.devices'],
  [/^\/(?:var\/(?:log|adm)|run\/log|private\/var\/log|Library\/Logs)(?:\/|$)/, 'system.logs'],
  [/^\/var\/cache\/(?:apt|yum|dnf|apk|pacman|man|fontconfig)\/|^\/var\/lib\/apt\/lists\//, 'generated'],
  [
    /^\/(?:etc|private\/etc|boot|efi|proc|sys|Library\/(?:LaunchDaemons|LaunchAgents|Preferences|Security|StartupItems)|var\/spool\/(?:cron|at)|var\/at)(?:\/|$)/,
    'system.config',
  ],
  [
    /^\/(?:bin|sbin|lib|lib32|lib64|libx32|usr|opt|Applications|System|nix|snap|var\/lib\/(?:dpkg|rpm|pacman))(?:\/|$)/,
    'system.programs',
  ],
  [/^\/(?:home|Users)$/, 'other-users'],
  [/^\/(?:mnt|media|Volumes|data|workspace|workspaces|app|project|repo|builds?|github)\/./, 'unknown'],
];

function systemZone(path: string): Zone {
  for (const [pattern, zone] of SYSTEM) if (pattern.test(path)) return zone;
  return 'system';
}
