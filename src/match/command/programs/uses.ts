/**
 * What a command does with paths, from the table and from a few programs that have a grammar of their own.
 */
import type { Field } from '../known/values.ts';
import { resolvePath } from '../paths.ts';
import type { CommandRedirect } from '../reading.ts';
import { interpreterOf } from './interpreters.ts';
import { type Scan, type Spec, scanOptions, specOf } from './options.ts';
import { PATHS, type PathRow } from './paths.ts';
import { WRAPPERS } from './wrappers.ts';

export interface Uses {
  readonly reads: string[];
  readonly writes: string[];
  readonly deletes: string[];
}

/** Programs whose options are whole words behind one dash. */
const SINGLE: ReadonlySet<string> = new Set(
  'find terraform openssl go java ffmpeg sqlite3 duckdb gdb pwsh powershell convert magick'.split(' '),
);
/** Programs that have rows by sub-command. */
const WITH_SUBS: ReadonlySet<string> = new Set(
  [...PATHS.keys()].filter((key) => key.includes(' ')).map((key) => key.slice(0, key.indexOf(' '))),
);

export interface Layout extends Scan<Field> {
  readonly row: PathRow | undefined;
}

function specFor(program: string, row: PathRow | undefined): Spec {
  return specOf(row?.[2] ?? interpreterOf(program)?.options ?? '');
}

/** By the row of the sub-command, which belongs to one program. */
const SUB_SPECS = new Map<PathRow, Spec>();

function subSpec(program: string, row: PathRow | undefined, sub: PathRow): Spec {
  let spec = SUB_SPECS.get(sub);
  if (spec === undefined) {
    const own = row?.[2] ?? interpreterOf(program)?.options ?? '';
    spec = specOf(`${own} ${sub[2] ?? ''}`);
    SUB_SPECS.set(sub, spec);
  }
  return spec;
}

/** Which words of a command are options, their values and operands. */
export function layoutOf(program: string, words: readonly Field[]): Layout {
  const row = PATHS.get(program);
  const style = { mixed: true, single: SINGLE.has(program) };
  const wrapper = WRAPPERS.get(program);
  if (wrapper !== undefined && row === undefined) {
    return withRow(scanOptions(words, 1, specOf(wrapper.options)), undefined);
  }
  const scan = scanOptions(words, 1, specFor(program, row), style);
  if (!WITH_SUBS.has(program) || scan.operands.length === 0) return withRow(scan, row);
  const sub = PATHS.get(`${program} ${words[scan.operands[0]!]!.text}`);
  if (sub === undefined) return withRow(scan, row);
  return withRow(scanOptions(words, 1, subSpec(program, row, sub), style), sub);
}

function withRow({ options, operands, strange }: Scan<Field>, row: PathRow | undefined): Layout {
  return { options, operands, strange, row };
}

const MOST_KEPT = 1000;
const SIGNS = new Map<string, readonly string[]>();

/** A use for each operand, by the row's signs. */
function signsFor(pattern: string, count: number): readonly string[] {
  if (pattern === 'r*' || count === 0) return [];
  const key = `${pattern} ${count}`;
  let signs = SIGNS.get(key);
  if (signs === undefined) {
    signs = makeSigns(pattern, count);
    if (SIGNS.size < MOST_KEPT) SIGNS.set(key, signs);
  }
  return signs;
}

function makeSigns(pattern: string, count: number): readonly string[] {
  const signs = pattern.split(' ');
  const star = signs.findIndex((sign) => sign.endsWith('*'));
  if (star === -1) return Array.from({ length: count }, (_, i) => signs[i] ?? 'r');
  const after = signs.length - star - 1;
  return Array.from({ length: count }, (_, i) => {
    if (i < star) return signs[i]!;
    // A single operand of `cp` is read, not written.
    if (i >= count - after && count > star + (after > 0 ? 1 : 0)) return signs[signs.length - (count - i)]!;
    return signs[star]![0]!;
  });
}

/** `codeAt`: the operand that is code and no path. */
export function usesOf(
  program: string,
  words: readonly Field[],
  layout: Layout,
  cwd: string | null,
  codeAt: number,
): Uses {
  const uses: Uses = { reads: [], writes: [], deletes: [] };
  const add = (sign: string, word: Pick<Field, 'text' | 'tilde'>) => {
    if (word.text === '' || word.text === '-') return;
    const path = resolvePath(cwd, word);
    if (sign === 'r' || sign === 'b') uses.reads.push(path);
    if (sign === 'w' || sign === 'b') uses.writes.push(path);
    if (sign === 'd') uses.deletes.push(path);
  };
  if (SPECIAL.get(program)?.(words, layout, add) === true) return uses;
  const { row, options } = layout;
  const given = row === undefined ? undefined : usesByOption(row[1] ?? '');
  const code = interpreterOf(program)?.code;
  let takesTarget = false;
  for (const { name, value } of options) {
    if (value === null) continue;
    const sign =
      given?.get(name) ?? (row === undefined && !code?.includes(name) ? guess(name, value.text) : '-');
    if (sign === 'w') takesTarget = true;
    if (sign === '@') addAttached(value, add);
    else add(sign, value);
  }
  addOperands(words, layout, takesTarget, codeAt, add);
  const inPlace = IN_PLACE.has(program) && options.some(({ name }) => name === '-i' || name === '--in-place');
  if (inPlace) uses.writes.push(...uses.reads);
  return uses;
}

const IN_PLACE: ReadonlySet<string> = new Set(['sed', 'gsed', 'perl', 'ruby', 'yq', 'awk', 'gawk']);

function addOperands(
  words: readonly Field[],
  { row, operands, options }: Layout,
  takesTarget: boolean,
  codeAt: number,
  add: (sign: string, word: Pick<Field, 'text' | 'tilde'>) => void,
): void {
  let pattern = row?.[0] ?? 'r*';
  const instead = row?.[3]?.split(' ');
  if (instead !== undefined && options.some(({ name }) => instead.includes(name))) {
    pattern = pattern.slice(pattern.indexOf(' ') + 1);
  }
  if (takesTarget && / w$/.test(pattern)) pattern = pattern.slice(0, -2);
  const signs = signsFor(pattern, operands.length);
  operands.forEach((at, i) => {
    const { text } = words[at]!;
    if (at !== codeAt && (row !== undefined || !(isSentence(text) || KEY_OPTION.test(words[at - 1]!.text))))
      add(signs[i] ?? 'r', words[at]!);
  });
  const target = pattern.endsWith('* w') ? words[operands.at(-1) ?? -1] : undefined;
  if (target?.text.endsWith('/') !== true) return;
  // Into a folder, under its own name.
  for (const at of operands.slice(0, -1)) {
    const name = /[^/:]+$/.exec(words[at]!.text)?.[0];
    if (name !== undefined) add('w', { text: `${target.text}${name}`, tilde: target.tilde });
  }
}

/** Given to a program nobody has a row for, words with blanks between are text, unless they begin as a path does. */
function isSentence(text: string): boolean {
  return /\s/.test(text) && !/^(?:~|\.{0,2})\//.test(text);
}

const USES = new Map<string, ReadonlyMap<string, string>>();

function usesByOption(text: string): ReadonlyMap<string, string> {
  let found = USES.get(text);
  if (found === undefined) {
    found = new Map(text.split(' ').map((each) => [each.slice(0, -2), each.slice(-1)] as const));
    USES.set(text, found);
  }
  return found;
}

/** Options for what opens a door: a program uses it, and does not show it. */
export const KEY_OPTION = /^--?[\w-]*(?:key|cert|identity)[\w-]*$/i;
const OUTPUT = /^--?(?:o|out|output|output-file|outfile|output-dir|dest|destination|log|log-file|logfile)$/;

/** The value of an option of a program nobody has a row for. */
function guess(name: string, value: string): string {
  if (OUTPUT.test(name)) return 'w';
  if (KEY_OPTION.test(name)) return '-';
  return /[/~.]/.test(value) && !/\s/.test(value) ? 'r' : '-';
}

/** `@file`, `name=@file`, `name=<file`. */
function addAttached(value: Field, add: (sign: string, word: Pick<Field, 'text' | 'tilde'>) => void): void {
  const found = /^(?:[^=@]*=)?[@<]([^;]+)/.exec(value.text);
  if (found !== null) add('r', { text: found[1]!, tilde: found[1]!.startsWith('~') });
}

type Special = (
  words: readonly Field[],
  layout: Layout,
  add: (sign: string, word: Pick<Field, 'text' | 'tilde'>) => void,
) => boolean;

/** Grammars of their own. False: the table as well. */
const SPECIAL: ReadonlyMap<string, Special> = new Map(
  Object.entries<Special>({
    dd: (words, _layout, add) => {
      for (const word of words.slice(1)) {
        const found = /^(if|of)=(.*)$/s.exec(word.text);
        if (found !== null) add(found[1] === 'if' ? 'r' : 'w', { text: found[2]!, tilde: false });
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
      for (const path of roots) add(deletes ? 'd' : 'r', path);
      words.forEach((word, i) => {
        const next = words[i + 1];
        if (next !== undefined && /^-(?:fprint0?|fprintf|fls)$/.test(word.text)) add('w', next);
        if (next !== undefined && /^-(?:newer\w*|samefile|files0-from)$/.test(word.text)) add('r', next);
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
      if (bundle.includes('f') && words[2] !== undefined) add(creates ? 'w' : 'r', words[2]);
      for (const { name, value } of options) {
        if (value === null) continue;
        if (name === '-f' || name === '--file') add(creates ? 'w' : 'r', value);
        if (name === '-C' || name === '--directory') add(creates ? 'r' : 'w', value);
        if (/^(?:-[TX]|--(?:files-from|exclude-from))$/.test(name)) add('r', value);
      }
      if (creates)
        for (const word of words.slice(bundle === '' ? 1 : 2 + valuesIn(bundle)))
          if (!word.text.startsWith('-')) add('r', word);
      // Members that are named land below the folder.
      if (!creates) addMembers(words, bundle, options, operands, add);
      return true;
    },
    unzip: (words, { options, operands }, add) => {
      const folder = options.find(({ name }) => name === '-d')?.value;
      if (folder != null) for (const at of operands.slice(1)) add('w', below(folder, words[at]!));
      return false;
    },
    script: (words, { operands }, add) => {
      for (const at of operands.slice(0, 1)) add('w', words[at]!);
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

function below(folder: Field, member: Field): Pick<Field, 'text' | 'tilde'> {
  return { text: `${folder.text.replace(/\/+$/, '')}/${member.text}`, tilde: folder.tilde };
}

function addMembers(
  words: readonly Field[],
  bundle: string,
  options: Layout['options'],
  operands: readonly number[],
  add: (sign: string, word: Pick<Field, 'text' | 'tilde'>) => void,
): void {
  const extracts =
    bundle.includes('x') || options.some(({ name }) => /^(?:-x|--(?:extract|get))$/.test(name));
  const folder = options.find(({ name }) => name === '-C' || name === '--directory')?.value;
  if (!extracts || folder == null) return;
  for (const at of operands)
    if (bundle === '' || at >= 2 + valuesIn(bundle)) add('w', below(folder, words[at]!));
}

/** The file a download is kept in: the last part of its address. */
function addDownloads(
  words: readonly Field[],
  operands: readonly number[],
  add: (sign: string, word: Pick<Field, 'text' | 'tilde'>) => void,
): void {
  for (const at of operands) {
    const name = /([^/?#]+)(?:[?#].*)?$/s.exec(words[at]!.text)?.[1];
    if (name !== undefined) add('w', { text: name, tilde: false });
  }
}

const READING = new Set(['<', '<>']);
const WRITING = new Set(['>', '>>', '>|', '&>', '&>>', '<>']);

/** Files of redirections. A descriptor is none. */
export function addRedirects(
  uses: Uses,
  redirects: readonly (CommandRedirect & { tilde: boolean })[],
  cwd: string | null,
): void {
  for (const { op, target, tilde } of redirects) {
    if (target === '') continue;
    const path = resolvePath(cwd, { text: target, tilde });
    if (READING.has(op)) uses.reads.push(path);
    if (WRITING.has(op) || (op === '>&' && !/^(?:\d+-?|-)$/.test(target))) uses.writes.push(path);
  }
}
