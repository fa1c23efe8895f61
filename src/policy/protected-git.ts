/**
 * Commands of git that take away what has agents ask Harness: the guard, and the files in which it is registered. A branch from before
 * they were committed does not have them, and git removes untracked files and stages away without a trace. Which files a command
 * would leave is looked up in the repository; where it has them all, nobody is asked.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { POLICY_FOLDER } from '../frontends/index.ts';
import { askGit, isWithin } from '../machine/index.ts';
import type { Command } from '../shell/index.ts';
import { POLICY_FILES, type Protected } from './protected.ts';
import { guardedFiles } from './protected-searches.ts';
import { atHome, type JudgedCall } from './protected-words.ts';

/** What a command makes of the work tree. */
type Change =
  /** It becomes that of a commit, or of the index if `from` is null; what the commit does not have stays if `overlay`. */
  | { readonly kind: 'tree'; readonly from: string | null; readonly overlay: boolean; readonly paths: Paths }
  /** What differs between two commits is brought in: `a...b`, `a b`. */
  | { readonly kind: 'difference'; readonly between: readonly string[] }
  | { readonly kind: 'untracked'; readonly ignored: boolean; readonly paths: Paths }
  /** All that is tracked may go. */
  | { readonly kind: 'tracked' };

/** Null: all. */
type Paths = readonly string[] | null;

/** Words behind the name of a sub-command. */
interface GitWords {
  readonly verb: string;
  readonly all: readonly string[];
  /** Options before `--`. */
  readonly options: readonly string[];
  /** Neither options nor their values, before `--`; `-` as git takes it. */
  readonly operands: readonly string[];
  /** Behind `--`; null without it. */
  readonly paths: Paths;
}

interface Repository {
  /** The folder the command runs in. */
  readonly cwd: string;
  readonly ask: (...args: string[]) => string | null;
  /** Whether a word names a commit. */
  readonly names: (word: string) => boolean;
}

type Plan = (words: GitWords, repository: Repository) => readonly Change[];

const checkedOut = (
  from: string | null,
  paths: Paths = null,
  overlay = paths !== null,
): readonly Change[] => [
  {
    ...{ kind: 'tree', from, overlay, paths },
  },
];
const broughtIn = (...between: string[]): readonly Change[] => [{ kind: 'difference', between }];
const ALL_TRACKED: readonly Change[] = [{ kind: 'tracked' }];
const NOTHING: readonly Change[] = [];
const merged: Plan = ({ options, operands }) =>
  options.some((option) => /^--(?:abort|continue|quit|skip|show-current-patch|edit-todo)$/.test(option))
    ? NOTHING
    : broughtIn(`HEAD...${operands[0] ?? '@{upstream}'}`);
const picked: Plan = ({ operands }) => {
  const [first] = operands;
  if (first === undefined) return NOTHING;
  return first.includes('..') ? broughtIn(first) : broughtIn(`${first}^`, first);
};

const commit = (refs: readonly string[]) => (refs.length > 0 ? checkedOut(refs.at(-1)!) : NOTHING);

const PLANS: ReadonlyMap<string, Plan> = new Map<string, Plan>([
  ['checkout', planCheckout],
  ['switch', planSwitch],
  ['restore', planRestore],
  ['reset', planReset],
  ['stash', planStash],
  ['clean', planClean],
  ['merge', merged],
  ['rebase', merged],
  ['cherry-pick', picked],
  ['revert', picked],
  [
    'bisect',
    ({ operands }) =>
      /^(?:start|good|old|bad|new|reset)$/.test(operands[0] ?? '') ? commit(operands.slice(1)) : NOTHING,
  ],
  ['read-tree', ({ options, operands }) => (options.includes('-u') ? commit(operands) : NOTHING)],
  [
    'checkout-index',
    ({ options }) => (options.some((each) => /^-\w*f|^--force$/.test(each)) ? checkedOut(null) : NOTHING),
  ],
  [
    'sparse-checkout',
    ({ operands }) => (/^(?:set|reapply|init)$/.test(operands[0] ?? '') ? ALL_TRACKED : NOTHING),
  ],
  // From an address, not from a remote that has a name.
  ['pull', ({ operands: [from = ''] }) => (/[/:]|^\.$/.test(from) ? ALL_TRACKED : NOTHING)],
]);

/** Options with a value of their own. */
const VALUED =
  /^(?:-[bBcCs]|--(?:orphan|source|conflict|pathspec-from-file|onto|strategy|message|create|force-create|exec)|-[mX])$/;
/** They change where names of commits lead. */
const MOVES =
  /^(?:update-ref|symbolic-ref|reset|branch|tag|fast-import|fetch|update-index|read-tree|filter-branch|replace|commit-tree)$/;
const STAGES = /^(?:add|stage|update-index|read-tree|stash|apply|am|merge|cherry-pick|restore|reset)$/;

function wordsOf(verb: string, all: readonly string[]): GitWords {
  const end = all.indexOf('--');
  const before = end === -1 ? all : all.slice(0, end);
  const operands: string[] = [];
  // `-m` is a message in some and a switch in others.
  const takes = (option: string) =>
    VALUED.test(option) &&
    (option !== '-m' || verb === 'stash' || verb === 'cherry-pick' || verb === 'revert' || verb === 'merge');
  before.forEach((word, i) => {
    if (i > 0 && takes(before[i - 1]!)) return;
    if (word === '-' || !word.startsWith('-')) operands.push(word === '-' ? '@{-1}' : word);
  });
  const options = before.filter((word) => word.length > 1 && word.startsWith('-'));
  return {
    verb,
    all,
    options,
    operands,
    paths: end === -1 || end === all.length - 1 ? null : all.slice(end + 1),
  };
}

function optionValue(all: readonly string[], ...names: string[]): string | undefined {
  const attached = all.find((word) => names.some((name) => word.startsWith(`${name}=`)));
  const at = all.findIndex((word) => names.includes(word));
  return attached?.slice(attached.indexOf('=') + 1) ?? (at === -1 ? undefined : all[at + 1]);
}

function planCheckout({ all, options, operands, paths }: GitWords, { cwd, names }: Repository) {
  const [first, ...more] = operands;
  if (optionValue(all, '-b', '-B', '--orphan') !== undefined)
    return first === undefined ? NOTHING : checkedOut(first);
  const overlay = !options.includes('--no-overlay');
  if (first === undefined) return paths === null ? NOTHING : checkedOut(null, paths, overlay);
  if (paths !== null) return checkedOut(first, paths, overlay);
  if (!names(first) && isPath(first, cwd)) return checkedOut(null, operands, overlay);
  return more.length > 0 ? checkedOut(first, more, overlay) : checkedOut(first);
}

function isPath(word: string, cwd: string): boolean {
  return /[*?[]/.test(word) || word.startsWith(':') || existsSync(resolve(cwd, word));
}

function planSwitch({ all, operands }: GitWords) {
  return all.some((word) => word.startsWith('--orphan')) ? ALL_TRACKED : commit(operands.slice(0, 1));
}

function planRestore({ all, options, operands, paths }: GitWords) {
  const isStaged = options.some((each) => each === '--staged' || each === '-S');
  const inTree = !isStaged || options.some((each) => each === '--worktree' || each === '-W');
  const source = optionValue(all, '--source', '-s') ?? null;
  return inTree
    ? checkedOut(source, [...operands, ...(paths ?? [])], options.includes('--overlay'))
    : NOTHING;
}

function planReset({ options, operands }: GitWords) {
  return options.some((each) => /^--(?:hard|merge|keep)$/.test(each))
    ? checkedOut(operands[0] ?? 'HEAD')
    : NOTHING;
}

function planStash({ options, operands: [sub = 'push', ...more], paths }: GitWords): readonly Change[] {
  if (/^(?:pop|apply|branch)$/.test(sub)) {
    const stash = (sub === 'branch' ? more[1] : more[0]) ?? '0';
    const name = /^\d+$/.test(stash) ? `stash@{${stash}}` : stash;
    return broughtIn(`${name}^1`, name);
  }
  if (sub !== 'push' && sub !== 'save') return NOTHING;
  const own = [...(sub === 'push' ? more : []), ...(paths ?? [])];
  const of = own.length > 0 ? own : null;
  const { short, long } = lettersOf(options);
  const ignored = short.includes('a') || long.includes('--all');
  const untracked = ignored || short.includes('u') || long.includes('--include-untracked');
  return [
    ...checkedOut('HEAD', of, false),
    ...(untracked ? [{ kind: 'untracked' as const, ignored, paths: of }] : []),
  ];
}

function planClean({ options, operands, paths }: GitWords): readonly Change[] {
  const { short, long } = lettersOf(options);
  const isForced = short.includes('f') || long.includes('--force');
  if (!isForced || short.includes('n') || long.includes('--dry-run')) return NOTHING;
  const own = [...operands, ...(paths ?? [])];
  return [{ kind: 'untracked', ignored: /x/i.test(short), paths: own.length > 0 ? own : null }];
}

function lettersOf(options: readonly string[]): { readonly short: string; readonly long: readonly string[] } {
  const isShort = (option: string) => /^-\w+$/.test(option);
  return { short: options.filter(isShort).join(''), long: options.filter((option) => !isShort(option)) };
}

/** Why a person has to see a command of git, or null. `commands` are those of its line. */
export function gitQuestion(
  command: Command,
  commands: readonly Command[],
  call: JudgedCall,
  guarded: Protected,
): string | null {
  if (command.program !== 'git') return null;
  const cwd = folderOf(command, call);
  const at = command.args.indexOf(command.sub(0));
  const own = at === -1 ? [] : command.args.slice(at);
  const top = repositoryAbove(cwd);
  if (top === null || own.length === 0) return null;
  const ask = (...args: string[]) => askGit(args, existsSync(cwd) ? cwd : top, call.path ?? '');
  const [verb = '', ...rest] = PLANS.has(own[0]!) ? own : expanded(own, ask);
  const plan = PLANS.get(verb);
  if (plan === undefined) return null;
  const places = placesIn(top, guarded, verb === 'clean' || verb === 'stash');
  if (places.length === 0) return null;
  const names = (word: string) => ask('rev-parse', '-q', '--verify', `${word}^{commit}`) !== null;
  const changes = plan(wordsOf(verb, rest), { cwd, ask, names });
  if (changes.length === 0) return null;
  const before = commands
    .slice(0, Math.max(0, commands.indexOf(command)))
    .filter(({ program }) => program === 'git');
  const shown = command.text.length > 60 ? `git ${verb}` : command.text;
  const elsewhere =
    command.has('--git-dir', '--work-tree') ||
    command.assigns.some(({ name }) => /^GIT_(?:DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY)$/.test(name));
  if (elsewhere) return asks(shown, 'may remove', places);
  for (const change of changes) {
    const found = changed(change, { places, top, cwd, ask, names, before });
    if (found !== null) return asks(shown, found.how, found.places);
  }
  return null;
}

interface Looked {
  readonly places: readonly GuardedFile[];
  readonly top: string;
  readonly cwd: string;
  readonly ask: Repository['ask'];
  readonly names: Repository['names'];
  /** Commands of git before it on the line. */
  readonly before: readonly Command[];
}

interface GitChange {
  readonly how: string;
  readonly places: readonly GuardedFile[];
}

function changed(change: Change, looked: Looked): GitChange | null {
  const { ask, before, places } = looked;
  const listed = ask('ls-files', '-s', '-z', '--full-name', '--', ...places.map(({ path }) => path));
  if (listed === null) return { how: 'may remove', places };
  const index = blobsIn(listed);
  const staged = before.some((command) => STAGES.test(command.sub(0)));
  const tracked = places.filter(({ name }) => index.has(name) || staged);
  const found = (how: string, some: readonly GuardedFile[]) =>
    some.length > 0 ? { how, places: some } : null;
  if (change.kind === 'untracked') {
    const others = ask(
      'ls-files',
      '--others',
      '-z',
      '--full-name',
      ...(change.ignored ? [] : ['--exclude-standard']),
      '--',
      ...places.map(({ path }) => path),
    );
    const untracked = new Set((others ?? '').split('\0'));
    const gone = places.filter(
      (place) => (others === null || untracked.has(place.name)) && covers(change.paths, place, looked),
    );
    return found('removes', gone);
  }
  const registered = tracked.filter(({ isGuard, registers }) => isGuard || registers);
  if (registered.length === 0) return null;
  if (change.kind === 'tracked') return found('may remove', registered);
  if (change.kind === 'difference') {
    const names = ask(
      'diff',
      '--name-only',
      '-z',
      '--no-ext-diff',
      '--no-textconv',
      '--no-renames',
      ...change.between,
      '--',
      ...registered.map(({ path }) => path),
    );
    // What does not exist is an error when it runs, too.
    const moved = before.some((command) => MOVES.test(command.sub(0)));
    if (names === null) return moved ? found('may change', registered) : null;
    const brought = new Set(names.split('\0'));
    return found(
      'changes',
      registered.filter(({ name }) => brought.has(name)),
    );
  }
  const covered = registered.filter((place) => covers(change.paths, place, looked));
  if (covered.length === 0) return null;
  const from = change.from === null ? null : sourceOf(change.from, looked);
  if (from === undefined) return found('may remove', covered);
  const tree = from === null ? index : blobsOfTree(from, covered, looked);
  if (tree === null) return found('may remove', covered);
  const removed = change.overlay ? [] : covered.filter(({ name }) => !tree.has(name));
  if (removed.length > 0) return found('removes', removed);
  return found(
    'replaces',
    covered.filter((place) => isReplaced(place, tree.get(place.name), ask)),
  );
}

/** The commit that a name stands for when its turn comes; undefined if that is not known. */
function sourceOf(
  from: string,
  { names, ask, before }: Pick<Looked, 'names' | 'ask' | 'before'>,
): string | undefined {
  const creator = before.find((each) => /^(?:branch|tag)$/.test(each.sub(0)) && each.sub(1) === from);
  if (creator !== undefined) return sourceOf(creator.sub(2) || 'HEAD', { names, ask, before: [] });
  if (before.some((each) => MOVES.test(each.sub(0)) && !isFetch(each))) return undefined;
  if (names(from)) return from;
  const remote = ask('for-each-ref', '--format=%(refname)', `refs/remotes/*/${from}`)?.split('\n')[0];
  return remote === undefined || remote === '' ? undefined : remote;
}

/** From a remote that has a name: what a team has there. */
function isFetch(command: Command): boolean {
  return command.sub(0) === 'fetch' && !/[/:.]/.test(command.sub(1));
}

function blobsOfTree(
  from: string,
  places: readonly GuardedFile[],
  { ask, top }: Looked,
): ReadonlyMap<string, string> | null {
  const text = ask(
    'ls-tree',
    '-r',
    '-z',
    '--full-tree',
    from,
    '--',
    ...places.map(({ path }) => relative(top, path)),
  );
  return text === null ? null : blobsIn(text);
}

/** `mode type hash\tname` of a tree, `mode hash stage\tname` of the index. */
function blobsIn(text: string): ReadonlyMap<string, string> {
  return new Map(
    text.split('\0').flatMap((line) => {
      const [facts = '', name] = line.split('\t');
      const blob = facts.split(' ').find((fact) => /^[0-9a-f]{40,64}$/.test(fact));
      return name === undefined || blob === undefined ? [] : [[name, blob] as const];
    }),
  );
}

/** Another guard decides who judges; a file that registers has only to name Harness still. */
function isReplaced(
  { path, isGuard }: GuardedFile,
  blob: string | undefined,
  ask: Repository['ask'],
): boolean {
  if (blob === undefined) return false;
  const now = textOf(path);
  const algorithm = blob.length === 40 ? 'sha1' : 'sha256';
  const hash = createHash(algorithm).update(`blob ${now.length}\0`).update(now).digest('hex');
  if (hash === blob) return false;
  return isGuard || ask('cat-file', 'blob', blob)?.includes('harness') !== true;
}

function textOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
}

/** Whether one of the paths of a command covers a place; a pattern may cover any. */
function covers(paths: Paths, { path }: GuardedFile, { cwd, top }: Looked): boolean {
  return (
    paths === null ||
    paths.some((given) => {
      if (/[*?[$]|^:[^/]/.test(given)) return true;
      return isWithin(path, given.startsWith(':/') ? join(top, given.slice(2)) : resolve(cwd, given));
    })
  );
}

interface GuardedFile {
  readonly path: string;
  /** As git has it. */
  readonly name: string;
  readonly isGuard: boolean;
  readonly registers: boolean;
}

/** The guard and the files that register it, of a repository; with `all`, every guarded file of it. */
function placesIn(top: string, guarded: Protected, all: boolean): readonly GuardedFile[] {
  const policies = [
    join(top, POLICY_FOLDER),
    ...guarded.paths.folders.filter((folder) => basename(folder) === POLICY_FOLDER),
  ];
  const guards = policies.map((folder) => join(folder, 'guard'));
  const registering = guarded.paths.files.filter(
    (path) => !POLICY_FILES.includes(basename(path)) && !path.includes(`/${POLICY_FOLDER}/`),
  );
  const files = new Set([...guards, ...registering, ...(all ? guardedFiles(guarded) : [])]);
  return [...files]
    .filter((path) => isWithin(path, top) && existsSync(path))
    .map((path) => ({
      ...{ path, name: relative(top, path), isGuard: guards.includes(path) },
      registers: registering.includes(path) && textOf(path).includes('harness'),
    }));
}

function asks(shown: string, how: string, places: readonly GuardedFile[]): string {
  const names = places
    .slice(0, 3)
    .map(({ name }) => name)
    .join(', ');
  const more = places.length > 3 ? ` and ${places.length - 3} more files of the policy` : '';
  const consequence = places.some(({ registers }) => registers)
    ? 'calls of the agent after it are judged by nobody'
    : places.some(({ isGuard }) => isGuard)
      ? how === 'replaces' || how === 'changes'
        ? 'another guard then decides who judges the calls after it'
        : 'every call after it is blocked'
      : 'what is not committed cannot be brought back';
  return `\`${shown}\` ${how} ${names}${more}: ${consequence}${/blocked|nobody/.test(consequence) ? ' until `harness install` is run again, or the files are on that branch too' : ''}`;
}

function folderOf(command: Command, call: JudgedCall): string {
  const first = resolve(call.cwd, atHome(command.cwd ?? '', call.home));
  return command.values('-C').reduce((at, folder) => resolve(at, atHome(folder, call.home)), first);
}

function repositoryAbove(folder: string): string | null {
  for (let at = resolve(folder), last = ''; at !== last; last = at, at = resolve(at, '..')) {
    if (existsSync(join(at, '.git'))) return at;
  }
  return null;
}

/** Sub-commands that change nothing here, and need not be looked up as an alias. */
const PLAIN: ReadonlySet<string> = new Set(
  'add am apply archive blame branch cat-file clone commit config describe diff fetch for-each-ref format-patch gc grep help init log ls-files ls-remote ls-tree mv notes push range-diff reflog remote rev-list rev-parse rm shortlog show show-ref status submodule tag update-ref version worktree'.split(
    ' ',
  ),
);

/** An alias of the user, written out. */
function expanded(words: readonly string[], ask: Repository['ask']): readonly string[] {
  const [name = '', ...rest] = words;
  if (PLAIN.has(name) || !/^[\w-]+$/.test(name)) return words;
  const text = ask('config', '--get', `alias.${name}`)?.trim() ?? '';
  return text === '' || text.startsWith('!') ? words : [...text.split(/\s+/), ...rest];
}
