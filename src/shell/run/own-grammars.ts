/**
 * Wrappers whose command does not just stand behind options: `find -exec`, `xargs`, `parallel`, `fd -x`, `capsh --`.
 */

import type { ShellCommand } from '../command.ts';
import { type Field, knownField, type Ranges, unknownField } from '../known/values.ts';
import { resolvePath } from '../paths.ts';
import { scanOptions } from '../programs/options.ts';
import { programNamed } from '../programs/table.ts';
import { inQuotes } from '../text.ts';
import { runTexts, SH } from './nested.ts';
import { type Frame, INHERITED, type Result, type Run, UNKNOWN } from './run.ts';
import { inputText, type Started, start, startedBy } from './start.ts';

type Grammar = (run: Run, started: Started, command: ShellCommand) => Result;

export const GRAMMARS: ReadonlyMap<string, Grammar> = new Map(
  Object.entries<Grammar>({
    find: (run, started, command) => runFind(run, started, command),
    gfind: (run, started, command) => runFind(run, started, command),
    xargs: (run, started, command) => runXargs(run, started, command),
    gxargs: (run, started, command) => runXargs(run, started, command),
    parallel: (run, started, command) => runParallel(run, started, command),
    fd: (run, started, command) => runFd(run, started, command),
    fdfind: (run, started, command) => runFd(run, started, command),
    capsh: (run, started, command) => {
      const at = started.words.findIndex((word) => word.text === '--' || word.text === '==');
      if (at !== -1) startInside(run, started, command, [knownField('bash'), ...started.words.slice(at + 1)]);
      return UNKNOWN;
    },
  }),
);

function frameInside(started: Started, command: ShellCommand): Frame {
  const { frame } = started;
  const place = { start: started.start, end: started.end };
  return {
    ...frame,
    level: frame.level + 1,
    via: [...frame.via, command.program],
    place,
    capture: false,
    input: started.input,
  };
}

function startInside(
  run: Run,
  started: Started,
  command: ShellCommand,
  words: readonly Field[],
  from: Ranges = [],
): Result {
  command.wrapper = true;
  const env = started.env.fork(true);
  const next = startedBy(started, words, frameInside(started, command));
  return start(run, { ...next, env, state: env, from });
}

/** A word with the sign of the file it is run for: only known when it runs. */
function withPlaceholder(word: Field, sign: string, from: Ranges): Field {
  if (!word.text.includes(sign)) return word;
  return { ...word, text: word.text.split(sign).join('{}'), known: false, from: [...word.from, ...from] };
}

/** What a search begins with, if that is one known folder: then what it finds stands below it. */
function rootOf(words: readonly Field[]): Field | null {
  const end = words.findIndex((word, i) => i > 0 && /^[-(!]/.test(word.text) && !/^-[HLPDO]/.test(word.text));
  const roots = words.slice(1, end === -1 ? undefined : end).filter(({ text }) => !text.startsWith('-'));
  const [root] = roots;
  return roots.length === 1 && root!.known && !/^\.\/?$/.test(root!.text) ? root! : null;
}

function foundBelow(root: Field | null, word: Field): Field {
  if (root === null || word.text !== '{}') return word;
  return { ...word, text: `${root.text.replace(/\/+$/, '')}/{}`, tilde: root.tilde };
}

function runFind(run: Run, started: Started, command: ShellCommand): Result {
  const { words } = started;
  const here: Ranges = [[run.commands.length - 1, run.commands.length]];
  const root = rootOf(words);
  let found = false;
  for (let at = 1; at < words.length; at++) {
    if (!/^-(?:exec|ok)(?:dir)?$/.test(words[at]!.text)) continue;
    let end = at + 1;
    while (
      end < words.length &&
      !(words[end]!.text === ';' || (words[end]!.text === '+' && words[end - 1]!.text === '{}'))
    )
      end++;
    const whole = /^-(?:exec|ok)$/.test(words[at]!.text) ? root : null;
    const inner = words
      .slice(at + 1, end)
      .map((word) => foundBelow(whole, withPlaceholder(word, '{}', here)));
    if (inner.length > 0) startInside(run, started, command, inner, here);
    found = true;
    at = end;
  }
  const [, ...rest] = words;
  // An option that is not known may be `-exec`.
  if (rest.some((word) => word.many && !word.known && !word.glob) && !found) {
    run.error('program', 'options of find are only known when it runs', started.start);
  }
  // It is more than a wrapper: it reads and deletes by itself.
  command.wrapper = false;
  return UNKNOWN;
}

const XARGS = programNamed('xargs')!.spec;
const MOST_ITEMS = 256;

function runXargs(run: Run, started: Started, command: ShellCommand): Result {
  const { words, input } = started;
  const scan = scanOptions(words, 1, XARGS);
  if (scan.strange !== null) {
    run.error(
      'program',
      `which word of xargs is the program is not certain: ${inQuotes(scan.strange)}`,
      started.start,
    );
  }
  const option = (...names: string[]) => scan.options.find(({ name }) => names.includes(name));
  const base = scan.operands.length > 0 ? words.slice(scan.operands[0]) : [knownField('echo')];
  const replace = option('-I', '-i', '--replace');
  const known = option('-E', '-e', '--eof', '-L', '-l', '--max-lines', '-s') === undefined;
  const file = option('-a', '--arg-file')?.value;
  const written = file == null ? undefined : run.written(resolvePath(started.state.cwd, file), started.frame);
  const text = !known ? null : file == null ? inputText(input) : (written?.alts[0]?.text ?? null);
  const delimiter = option('-d', '--delimiter')?.value?.text;
  const sign = option('-0', '--null') !== undefined ? '\0' : delimiter === '\\n' ? '\n' : delimiter;
  const lines = text === null || text.length > 4096 ? null : itemsOf(text, sign, replace !== undefined);
  if (replace !== undefined) {
    const mark = replace.value?.text ?? '{}';
    if (lines === null)
      return startInside(
        run,
        started,
        command,
        base.map((word) => withPlaceholder(word, mark, input.from)),
        input.from,
      );
    for (const line of lines.slice(0, MOST_ITEMS)) {
      startInside(
        run,
        started,
        command,
        base.map((word) => ({ ...word, text: word.text.split(mark).join(line) })),
        input.from,
      );
    }
    return UNKNOWN;
  }
  const size = option('-n', '--max-args')?.value?.text;
  if (lines === null || (size !== undefined && !/^\d{1,3}$/.test(size))) {
    return startInside(run, started, command, [...base, unknownField('$()', true, input.from)], input.from);
  }
  const batch = size === undefined ? Math.max(1, lines.length) : Math.max(1, Number(size));
  for (let at = 0; at === 0 || at < lines.length; at += batch) {
    const items = lines.slice(at, at + batch).map((line) => ({ ...knownField(line), from: input.from }));
    startInside(run, started, command, [...base, ...items], input.from);
  }
  return UNKNOWN;
}

/** What xargs makes of its input; null if its quotes are more than this reads. */
function itemsOf(text: string, sign: string | undefined, wholeLines: boolean): string[] | null {
  if (sign !== undefined && sign.length !== 1) return null;
  if (sign !== undefined) return text.split(sign).filter((item, i, all) => item !== '' || i < all.length - 1);
  if (/["'\\]/.test(text)) return null;
  const items = wholeLines
    ? text.split('\n').map((line) => line.replace(/^[ \t]+/, ''))
    : text.split(/[ \t\n]+/);
  const found = items.filter((item) => item !== '');
  return found.length > MOST_ITEMS ? null : found;
}

const PARALLEL = programNamed('parallel')!.spec;
/** Options by which other text than one word of the list is put in. */
const PARALLEL_SPLITS =
  /^(?:-[ICNnLXmadT]|--(?:colsep|arg-file|max|pipe|xapply|link|trim|delimiter|quote|replace))/;

function runParallel(run: Run, started: Started, command: ShellCommand): Result {
  const { words, input } = started;
  const scan = scanOptions(words, 1, PARALLEL);
  if (scan.strange !== null) run.error('program', 'an option of parallel that is not known', started.start);
  const rest = scan.operands.map((at) => words[at]!);
  const sources = rest.findIndex((word) => /^:::/.test(word.text));
  const template = sources === -1 ? rest : rest.slice(0, sources);
  const frame = { ...frameInside(started, command), input: INHERITED, repeats: true };
  command.wrapper = true;
  if (scan.options.some(({ name }) => name === '--dry-run')) return UNKNOWN;
  if (template.length > 0) {
    // What is put into it is text for a shell.
    const text = template.map((word) => word.text).join(' ');
    const listed = sources === -1 ? [] : rest.slice(sources + 1);
    const items = listed.map((word) => word.text);
    const isPlain =
      items.length <= MOST_ITEMS &&
      items.every((item) => /^[\w@%+=:,./-]+$/.test(item)) &&
      !/\{(?!1?\})[^{}\s]*\}/.test(text) &&
      !words.slice(1, scan.operands[0]).some((word) => PARALLEL_SPLITS.test(word.text));
    // Of one list of plain words each is put in; what else is put in is only known when it runs.
    const texts =
      isPlain &&
      items.length > 0 &&
      rest[sources]!.text === ':::' &&
      !items.some((item) => item.startsWith(':::'))
        ? items.map((item) => ({
            text: /\{1?\}/.test(text) ? text.replaceAll(/\{1?\}/g, item) : `${text} ${item}`,
            known: true,
          }))
        : [{ text, known: false }];
    for (const each of texts) runTexts(run, [each], SH, started.env.fork(true), frame);
    return UNKNOWN;
  }
  const given = sources === -1 ? null : rest.slice(sources + 1).filter((word) => !/^:::/.test(word.text));
  const lines =
    given ??
    inputText(input)
      ?.split('\n')
      .filter((line) => line !== '')
      .map(knownField);
  if (lines === undefined) runTexts(run, null, SH, started.env.fork(true), frame);
  for (const line of lines ?? []) runTexts(run, [line], SH, started.env.fork(true), frame);
  return UNKNOWN;
}

function runFd(run: Run, started: Started, command: ShellCommand): Result {
  const { words } = started;
  const here: Ranges = [[run.commands.length - 1, run.commands.length]];
  const at = words.findIndex((word) => /^(?:-[xX]|--exec|--exec-batch)$/.test(word.text));
  if (at === -1) return UNKNOWN;
  const end = words.findIndex((word, i) => i > at && word.text === ';');
  const inner = words.slice(at + 1, end === -1 ? undefined : end);
  const placed = inner.some((word) => /\{[./]*\}/.test(word.text));
  const all = inner.map((word) => (/\{[./]*\}/.test(word.text) ? { ...word, known: false } : word));
  if (inner.length > 0) {
    startInside(run, started, command, placed ? all : [...all, unknownField('{}', true, here)], here);
  }
  command.wrapper = false;
  return UNKNOWN;
}
