/**
 * What a command does with paths, from the roles in its row and from a few programs that have a grammar of their own.
 */
import type { Field } from '../known/values.ts';
import { resolvePath } from '../paths.ts';
import type { CommandRedirect } from '../reading.ts';
import { type Scan, scanOptions, specOf } from './options.ts';
import { type Program, programNamed, subNamed } from './table.ts';

export interface PathUses {
  readonly reads: string[];
  readonly writes: string[];
  readonly deletes: string[];
  /** Owner or rights change. */
  readonly modes: string[];
}

export interface Layout extends Scan<Field> {
  readonly program: Program | undefined;
  /** The first operands that name a sub-command; roles begin behind them. */
  readonly depth: number;
}

const NO_OPTIONS = specOf('');

/** Which words of a command are options, their values and operands. */
export function layoutOf(name: string, words: readonly Field[]): Layout {
  const program = programNamed(name);
  if (program?.starts != null) return laidOut(scanOptions(words, 1, program.spec), undefined, 0);
  const style = { mixed: true, single: program?.row.single === true };
  const scan = scanOptions(words, 1, program?.spec ?? NO_OPTIONS, style);
  if (program === undefined || program.subs.size === 0 || scan.operands.length === 0)
    return laidOut(scan, program, 0);
  const first = scan.operands.map((at) => words[at]!.text);
  // What a sub-command starts has options of its own.
  const sub = subNamed(program, first, ({ starts }) => starts === null);
  if (sub === null) return laidOut(scan, program, 0);
  return laidOut(scanOptions(words, 1, sub.program.wholeSpec, style), sub.program, sub.depth);
}

function laidOut(
  { options, operands, strange }: Scan<Field>,
  program: Program | undefined,
  depth: number,
): Layout {
  return { options, operands, strange, program, depth };
}

const MOST_KEPT = 1000;
const ROLES = new Map<string, readonly string[]>();
const READS: readonly string[] = [];

/** A role for each operand. */
function rolesFor(pattern: readonly string[], count: number): readonly string[] {
  if (count === 0 || (pattern.length === 1 && pattern[0] === 'read*')) return READS;
  const key = `${pattern.join(' ')} ${count}`;
  let roles = ROLES.get(key);
  if (roles === undefined) {
    roles = makeRoles(pattern, count);
    if (ROLES.size < MOST_KEPT) ROLES.set(key, roles);
  }
  return roles;
}

function makeRoles(pattern: readonly string[], count: number): readonly string[] {
  const star = pattern.findIndex((role) => role.endsWith('*'));
  if (star === -1) return Array.from({ length: count }, (_, i) => pattern[i] ?? 'read');
  const after = pattern.length - star - 1;
  return Array.from({ length: count }, (_, i) => {
    if (i < star) return pattern[i]!;
    // A single operand of `cp` is read, not written.
    if (i >= count - after && count > star + (after > 0 ? 1 : 0))
      return pattern[pattern.length - (count - i)]!;
    return pattern[star]!.slice(0, -1);
  });
}

const GUESSED: readonly string[] = ['?*'];
type Add = (role: string, word: Pick<Field, 'text' | 'tilde'>) => void;

/** `codeAt`: the operand that is code and no path. */
export function usesOf(
  name: string,
  words: readonly Field[],
  layout: Layout,
  cwd: string | null,
  codeAt: number,
): PathUses {
  const uses: PathUses = { reads: [], writes: [], deletes: [], modes: [] };
  const add: Add = (role, word) => {
    if (word.text === '' || word.text === '-') return;
    const path = resolvePath(cwd, word);
    if (READING_ROLES.has(role)) uses.reads.push(path);
    if (WRITING_ROLES.has(role)) uses.writes.push(path);
    if (role === 'delete') uses.deletes.push(path);
    if (role === 'mode') uses.modes.push(path);
  };
  if (SPECIAL.get(name)?.(words, layout, add) === true) return uses;
  const { program, options } = layout;
  const guessed = program === undefined || program.guessed;
  let takesTarget = false;
  for (const { name: option, value } of options) {
    if (value === null) continue;
    const role = program?.values.get(option) ?? (guessed ? guess(option, value.text) : '-');
    if (role === 'write') takesTarget = true;
    if (role === 'read@') addAttached(value, add);
    else add(role, value);
  }
  addOperands(words, layout, takesTarget, codeAt, add);
  const inPlace = program?.inPlace ?? [];
  if (inPlace.length > 0 && options.some(({ name: each }) => inPlace.includes(each)))
    uses.writes.push(...uses.reads);
  return uses;
}

/** Modules of python that write where their first operand says. */
const WRITING_MODULE =
  /^(?:venv|virtualenv|compileall|py_compile|gzip|zipapp|lib2to3|black|isort|autopep8|yapf)$/;

/** Words in the names of options that say what is looked at, or left out. */
const READING_WORDS: ReadonlySet<string> = new Set(
  `config conf rc cfg exclude ignore include filter glob pattern prune skip input schema rule rules cwd source src message title
  body name from require import load key cert identity project style ignorepath`.split(/\s+/),
);
const READING_LETTER = /^-[cCI]$/;
const OUTPUT_WORD =
  /^--?(?:o[A-Z]?|\w+_out|[\w-]*(?:out|output|outfile|outdir|dest|destination|log|logfile|save)[\w-]*)$/i;

/** Sub-commands of stores and clusters that copy to what stands last. */
const COPYING = /^(?:cp|copy|copyto|mv|move|moveto|sync|download|rsync)$/;

function isReadingOption(name: string): boolean {
  const words = name.replace(/^-+/, '').toLowerCase().split(/[-_=]/);
  return READING_LETTER.test(name) || (words[0]!.length > 1 && words.some((word) => READING_WORDS.has(word)));
}

/** Its options may write files though the row has not heard of them: it is not one that only shows what it is given. */
function mayWrite({ guessed, row }: Program): boolean {
  return guessed && row.prints !== 'content' && row.verbs === undefined;
}

function isListed({ row, wholeSpec }: Program, name: string): boolean {
  const plain = name.replace(/^-+/, '');
  return (
    wholeSpec.long.has(plain) || (row.single !== true && !name.startsWith('--') && wholeSpec.short.has(plain))
  );
}

/**
 * What a program may write though no row says so: every operand and option value of a program without a row, and in a row
 * that is silent about it the value of an option for output.
 */
export function unsureOf(
  words: readonly Field[],
  { program, options, operands }: Layout,
  cwd: string | null,
  wraps: boolean,
): readonly string[] {
  const found: string[] = [];
  const add = (word: Field, from = 0) => {
    const text = word.text.slice(from);
    if (text !== '' && !isSentence(text))
      found.push(resolvePath(cwd, { text, tilde: from === 0 && word.tilde }));
  };
  const isUnknown = program === undefined;
  const isSilent = isUnknown || mayWrite(program);
  const strange = (name: string) => isUnknown || (mayWrite(program) && !isListed(program, name));
  for (const { name, value, at } of options) {
    if (program?.values.has(name) === true) continue;
    const unknown = strange(name) && !isReadingOption(name);
    if (value !== null && (OUTPUT_WORD.test(name) || unknown)) add(value);
    // `-d error_log=file`
    const equals =
      value === null || program === undefined || !mayWrite(program) ? -1 : value.text.indexOf('=');
    if (equals > 0) add(value!, equals + 1);
    // `-ofile`, `-V1file`, `-Map=file`: letters of which no row says that they take a value.
    const attached = value === null && !name.startsWith('--') ? words[at]!.text.search(/[./~]/) : -1;
    if (attached > 1 && unknown) add(words[at]!, attached);
    else if (value === null && isUnknown && /^-o./s.test(words[at]!.text)) add(words[at]!, 2);
  }
  if (wraps) return found;
  const copies = operands.slice(0, 3).some((at) => COPYING.test(words[at]!.text));
  const module = options.find(({ name }) => name === '-m')?.value?.text;
  for (const [i, at] of operands.entries()) {
    const first = program?.row.language !== undefined && (i === 0 || at === 1);
    const isScript = first && (module === undefined || !WRITING_MODULE.test(module));
    const before = words[at - 1]?.text ?? '';
    const follows = at > 1 && before.startsWith('-');
    const isValue =
      follows && before.length > 2 && before.startsWith('--') && !before.includes('=') && strange(before);
    const isTarget =
      (follows && OUTPUT_WORD.test(before)) || isValue || (copies && i > 0 && i === operands.length - 1);
    if (isScript && !isValue) continue;
    if (!(isSilent || isTarget) || (follows && isReadingOption(before))) continue;
    add(words[at]!);
    // `of=file`, `CREATE:file,mode=600`, `@file`.
    const { text } = words[at]!;
    for (const { 0: piece, index } of text.matchAll(/(?<=[=:,;@+])[^=:,;@+]+/g)) {
      const cut = { ...words[at]!, text: text.slice(0, index + piece.length) };
      if (index < MOST_PIECED) add(cut, index);
    }
  }
  return found;
}

const MOST_PIECED = 4096;

const READING_ROLES: ReadonlySet<string> = new Set(['read', 'edit', '?', 'codefile', 'codefile:lua']);
const WRITING_ROLES: ReadonlySet<string> = new Set(['write', 'edit', 'mode']);
const CODE_ROLES: ReadonlySet<string> = new Set(['code', 'codefile']);

/** The roles of the operands, as the options leave them. */
function patternOf({ program, options }: Layout, takesTarget: boolean): readonly string[] {
  let pattern = program === undefined ? GUESSED : program.roles;
  const first = pattern[0];
  const replaced =
    program !== undefined &&
    (first === 'code'
      ? options.some(({ name }) => CODE_ROLES.has(program.values.get(name) ?? ''))
      : options.some(({ name }) => program.instead.includes(name)));
  if (replaced) pattern = pattern.slice(1);
  if (takesTarget && pattern.length > 1 && pattern.at(-1) === 'write') pattern = pattern.slice(0, -1);
  return pattern;
}

function addOperands(
  words: readonly Field[],
  layout: Layout,
  takesTarget: boolean,
  codeAt: number,
  add: Add,
): void {
  const { program } = layout;
  const operands = layout.depth === 0 ? layout.operands : layout.operands.slice(layout.depth);
  const guessed = program === undefined || program.guessed;
  const pattern = patternOf(layout, takesTarget);
  const roles = rolesFor(pattern, operands.length);
  operands.forEach((at, i) => {
    const { text } = words[at]!;
    if (at !== codeAt && (!guessed || !(isSentence(text) || KEY_OPTION.test(words[at - 1]!.text))))
      add(roles[i] ?? 'read', words[at]!);
  });
  const into = pattern.length > 1 && pattern.at(-1) === 'write' && pattern.at(-2)!.endsWith('*');
  const target = into ? words[operands.at(-1) ?? -1] : undefined;
  if (target?.text.endsWith('/') !== true) return;
  // Into a folder, under its own name.
  for (const at of operands.slice(0, -1)) {
    const name = /[^/:]+$/.exec(words[at]!.text)?.[0];
    if (name !== undefined) add('write', { text: `${target.text}${name}`, tilde: target.tilde });
  }
}

/** Given to a program nobody has a row for, words with blanks between are text, unless they begin as a path does. */
function isSentence(text: string): boolean {
  return /\s/.test(text) && !/^(?:~|\.{0,2})\//.test(text);
}

/** Options for what opens a door: a program uses it, and does not show it. */
export const KEY_OPTION = /^--?[\w-]*(?:key|cert|identity)[\w-]*$/i;
const OUTPUT = /^--?(?:o|out|output|output-file|outfile|output-dir|dest|destination|log|log-file|logfile)$/;

/** The value of an option of a program nobody has a row for. */
function guess(name: string, value: string): string {
  if (OUTPUT.test(name)) return 'write';
  if (KEY_OPTION.test(name)) return '-';
  return /[/~.]/.test(value) && !/\s/.test(value) ? 'read' : '-';
}

/** `@file`, `name=@file`, `name=<file`. */
function addAttached(value: Field, add: Add): void {
  const found = /^(?:[^=@]*=)?[@<]([^;]+)/.exec(value.text);
  if (found !== null) add('read', { text: found[1]!, tilde: found[1]!.startsWith('~') });
}

type Special = (words: readonly Field[], layout: Layout, add: Add) => boolean;

/** Grammars of their own. False: the table as well. */
const SPECIAL: ReadonlyMap<string, Special> = new Map(
  Object.entries<Special>({
    dd: (words, _layout, add) => {
      for (const word of words.slice(1)) {
        const found = /^(if|of)=(.*)$/s.exec(word.text);
        if (found !== null) add(found[1] === 'if' ? 'read' : 'write', { text: found[2]!, tilde: false });
      }
      return true;
    },
    find: (words, _layout, add) => {
      const flags = words.findIndex(
        (word, i) => i > 0 && /^[-(!]/.test(word.text) && !/^-[HLPDO]/.test(word.text),
      );
      const paths = words
        .slice(1, flags === -1 ? undefined : flags)
        .filter((word) => !word.text.startsWith('-'));
      const roots = paths.length > 0 ? paths : [{ text: '.', tilde: false }];
      const deletes = words.some((word) => word.text === '-delete');
      for (const path of roots) add(deletes ? 'delete' : 'read', path);
      words.forEach((word, i) => {
        const next = words[i + 1];
        if (next !== undefined && /^-(?:fprint0?|fprintf|fls)$/.test(word.text)) add('write', next);
        if (next !== undefined && /^-(?:newer\w*|samefile|files0-from)$/.test(word.text)) add('read', next);
      });
      return true;
    },
    tar: (words, { options, operands }, add) => {
      const first = words[1]?.text ?? '';
      const bundle = first.startsWith('-') ? '' : first;
      const creates =
        /[cru]/.test(bundle) ||
        options.some(({ name }) => /^(?:-[cruA]|--(?:create|append|update))$/.test(name));
      // `tar xzf file`: the letters stand without a dash, and f takes the next word.
      if (bundle.includes('f') && words[2] !== undefined) add(creates ? 'write' : 'read', words[2]);
      for (const { name, value } of options) {
        if (value === null) continue;
        if (name === '-f' || name === '--file') add(creates ? 'write' : 'read', value);
        if (name === '-C' || name === '--directory') add(creates ? 'read' : 'write', value);
        if (/^(?:-[TX]|--(?:files-from|exclude-from))$/.test(name)) add('read', value);
      }
      const packed = options.some(({ name }) => name === '--remove-files') ? 'delete' : 'read';
      if (creates)
        for (const word of words.slice(bundle === '' ? 1 : 2 + valuesIn(bundle)))
          if (!word.text.startsWith('-')) add(packed, word);
      // Members that are named land below the folder.
      if (!creates) addMembers(words, bundle, options, operands, add);
      return true;
    },
    zip: (words, { options, operands }, add) => {
      const moves = options.some(({ name }) => name === '-m' || name === '--move');
      if (moves) for (const at of operands.slice(1)) add('delete', words[at]!);
      return false;
    },
    rsync: (words, { options, operands }, add) => {
      const moves = options.some(({ name }) => name === '--remove-source-files');
      if (moves) for (const at of operands.slice(0, -1)) add('delete', words[at]!);
      return false;
    },
    unzip: (words, { options, operands }, add) => {
      const folder = options.find(({ name }) => name === '-d')?.value;
      if (folder != null) for (const at of operands.slice(1)) add('write', joinFields(folder, words[at]!));
      return false;
    },
    script: (words, { operands }, add) => {
      for (const at of operands.slice(0, 1)) add('write', words[at]!);
      return true;
    },
    curl: (words, { options, operands }, add) => {
      if (
        options.some(({ name }) => name === '-O' || name === '--remote-name' || name === '--remote-name-all')
      ) {
        addDownloads(words, operands, add);
      }
      return false;
    },
    aria2c: (words, { options, operands }, add) => {
      if (!options.some(({ name }) => name === '-o' || name === '--out')) addDownloads(words, operands, add);
      return false;
    },
    wget: (words, { options, operands }, add) => {
      if (!options.some(({ name }) => name === '-O' || name === '--output-document')) {
        addDownloads(words, operands, add);
      }
      return false;
    },
  }),
);

/** Letters of `tar xzf` that take a word each. */
function valuesIn(bundle: string): number {
  return bundle.match(/[bCfFgHIKLNTVX]/g)?.length ?? 0;
}

function joinFields(folder: Field, member: Field): Pick<Field, 'text' | 'tilde'> {
  return { text: `${folder.text.replace(/\/+$/, '')}/${member.text}`, tilde: folder.tilde };
}

function addMembers(
  words: readonly Field[],
  bundle: string,
  options: Layout['options'],
  operands: readonly number[],
  add: Add,
): void {
  const extracts =
    bundle.includes('x') || options.some(({ name }) => /^(?:-x|--(?:extract|get))$/.test(name));
  const folder = options.find(({ name }) => name === '-C' || name === '--directory')?.value;
  if (!extracts || folder == null) return;
  for (const at of operands)
    if (bundle === '' || at >= 2 + valuesIn(bundle)) add('write', joinFields(folder, words[at]!));
}

/** The file a download is kept in: the last part of its address. */
function addDownloads(words: readonly Field[], operands: readonly number[], add: Add): void {
  for (const at of operands) {
    const name = /([^/?#]+)(?:[?#].*)?$/s.exec(words[at]!.text)?.[1];
    if (name !== undefined) add('write', { text: name, tilde: false });
  }
}

const READ_REDIRECTS = new Set(['<', '<>']);
const WRITING = new Set(['>', '>>', '>|', '&>', '&>>', '<>']);

/** Files of redirections. A descriptor is none. */
export function addRedirects(
  uses: PathUses,
  redirects: readonly (CommandRedirect & { tilde: boolean })[],
  cwd: string | null,
): void {
  for (const { op, target, tilde } of redirects) {
    if (target === '') continue;
    const path = resolvePath(cwd, { text: target, tilde });
    if (READ_REDIRECTS.has(op)) uses.reads.push(path);
    if (WRITING.has(op) || (op === '>&' && !/^(?:\d+-?|-)$/.test(target))) uses.writes.push(path);
  }
}
