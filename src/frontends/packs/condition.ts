/**
 * A written condition as a test over one command. Compiled once; a name that does not exist is a fault in the value, never an
 * exception, and the rule is then refused as a whole.
 */
import { isJsonObject, type Json, type JsonObject } from '../../base/json.ts';
import { check, type Fault, isError } from '../../base/shape/check.ts';
import { pathText, wantedOf } from '../../base/shape/words.ts';
import { didYouMean } from '../../base/spelling.ts';
import type { Command } from '../../match/command/index.ts';
import { compileGlob } from '../../match/glob.ts';
import { eitherOf, isList, isProgramGlob, isUnknownProgram } from './needs.ts';
import { PathSets, type Sets } from './path-sets.ts';
import { lazyPattern, patternFault, type TextTest } from './patterns.ts';
import { CONDITION, type WrittenCondition } from './shape.ts';
import type { Subject } from './subject.ts';

export type Test = (subject: Subject) => boolean;

export interface Names {
  readonly lists: ReadonlyMap<string, readonly string[]>;
  readonly sets: PathSets;
}

type Key = keyof WrittenCondition;

class Compiler {
  readonly names: Names;
  readonly faults: string[] = [];
  /** Found right before: then each part is compiled when a command first gets as far as that. */
  private readonly checked: boolean;

  constructor(names: Names, checked: boolean) {
    this.names = names;
    this.checked = checked;
  }

  condition(written: Json, where: string): Test {
    const faults = this.checked ? [] : check(CONDITION, written).filter(isError);
    for (const fault of faults) this.faults.push(`${where}${pathText(fault.path)}: ${faultText(fault)}`);
    if (faults.length > 0 || !isJsonObject(written)) return () => false;
    const tests: Test[] = [];
    // In the order of the table: what costs least stands first there.
    for (const key of ORDER) {
      const value = (written as JsonObject)[key];
      if (value === undefined) continue;
      tests.push(this.checked ? lazy(() => this.key(key, value, where)) : this.key(key, value, where));
    }
    if (tests.length === 0) this.faults.push(`${where}: an empty condition holds for everything`);
    const [first, second] = tests;
    if (tests.length === 1) return first!;
    if (tests.length === 2) return (subject) => first!(subject) && second!(subject);
    return every(tests);
  }

  private key(key: Key, value: Json, where: string): Test {
    const at = `${where}${key}`;
    switch (key) {
      case 'program':
        return programTest(this.words(value, at));
      case 'all': {
        const tests = (value as Json[]).map((each, i) => this.condition(each, `${at}[${i}].`));
        return every(tests);
      }
      case 'any':
        return some((value as Json[]).map((each, i) => this.condition(each, `${at}[${i}].`)));
      case 'not': {
        const each = (Array.isArray(value) ? value : [value]) as Json[];
        const test = some(each.map((one, i) => this.condition(one, `${at}[${i}].`)));
        return (subject) => !test(subject);
      }
      case 'reads_from': {
        const test = this.condition(value, `${at}.`);
        return ({ writers }) => writers.some(test);
      }
      case 'beside': {
        const test = this.condition(value, `${at}.`);
        return (subject) => subject.beside.some(test);
      }
      case 'fed_by': {
        const test = this.condition(value, `${at}.`);
        return ({ sources }) => sources.some(test);
      }
      case 'option':
        return some(entries(value).map(([name, like]) => optionTest(name, this.globs(like, at))));
      case 'assigns':
        return some(entries(value).map(([name, like]) => assignTest(name, String(like))));
      case 'operands_min':
        return ({ operands }) => operands.length >= (value as number);
      case 'operands_max':
        return ({ operands }) => operands.length <= (value as number);
      default:
        return typeof value === 'boolean'
          ? this.flag(key, value)
          : this.wordsTest(key, this.words(value, at), at);
    }
  }

  private flag(key: Key, wanted: boolean): Test {
    const get = FLAGS[key]!;
    return (subject) => get(subject) === wanted;
  }

  private wordsTest(key: Key, words: readonly string[], at: string): Test {
    switch (key) {
      case 'flags':
        return ({ command }) => given(command, words) || words.some((word) => command.args.includes(word));
      case 'without':
        return ({ command }) => !given(command, words);
      case 'redirect':
        return ({ command: { redirects } }) => redirects.some(({ op }) => words.includes(op));
      case 'via':
        return ({ command: { via } }) => via.some((each) => words.includes(each));
      case 'language':
        return ({ command: { code } }) => code !== null && words.includes(code.language);
      case 'input_from':
        return ({ command: { stdin } }) => words.includes(stdin.kind);
      case 'unread':
        return (subject) =>
          subject.command.program === '' && subject.unread.some((kind) => words.includes(kind));
      case 'deletes_besides': {
        const set = this.pathSet(words, at);
        return (subject) => subject.command.deletes.some((path) => !set(subject, path));
      }
      case 'reads':
      case 'writes':
      case 'deletes':
      case 'mentions':
        return this.paths(key, words, at);
      case 'line':
      case 'text':
      case 'whole':
      case 'code':
      case 'input':
      case 'says':
        return this.like(key, words, at);
      case 'sub':
        return subTest(words);
      case 'finds_only': {
        const globs = words.flatMap(eitherOf).map(wordGlob);
        return ({ sought }) => sought?.every((name) => globs.some((glob) => glob(name))) ?? false;
      }
      default:
        return globTest(key, words.flatMap(eitherOf).map(wordGlob));
    }
  }

  private like(key: keyof typeof TEXTS, patterns: readonly string[], at: string): Test {
    for (const pattern of this.checked ? [] : patterns) {
      const fault = patternFault(pattern);
      if (fault !== null) this.faults.push(`${at}: ${JSON.stringify(pattern)}: ${fault}`);
    }
    const tests: readonly TextTest[] = patterns.map(lazyPattern);
    const get = TEXTS[key];
    return (subject) => {
      const text = get(subject);
      return text !== '' && tests.some((test) => test(text));
    };
  }

  private paths(
    key: 'reads' | 'writes' | 'deletes' | 'mentions',
    words: readonly string[],
    at: string,
  ): Test {
    const { bits, own } = this.pathWords(words, at);
    if (own === null) return (subject) => (subject[key] & bits) !== 0;
    const list = (subject: Subject) => (key === 'mentions' ? subject.mentioned : subject.command[key]);
    return (subject) =>
      (bits !== 0 && (subject[key] & bits) !== 0) ||
      list(subject).some((path) => own.of(subject.forms(path)) !== 0);
  }

  private pathSet(words: readonly string[], at: string): (subject: Subject, path: string) => boolean {
    const { bits, own } = this.pathWords(words, at);
    const { sets } = this.names;
    return (subject, path) => {
      const forms = subject.forms(path);
      return (sets.of(forms) & bits) !== 0 || (own !== null && own.of(forms) !== 0);
    };
  }

  private pathWords(words: readonly string[], at: string): { bits: Sets; own: PathSets | null } {
    let bits: Sets = 0;
    for (const word of words.filter((each) => each.startsWith('@'))) {
      const bit = this.names.sets.bit(word.slice(1));
      if (bit === undefined) this.unknown(at, word.slice(1), this.names.sets.names, '@');
      else bits |= bit;
    }
    const own = words.filter((word) => !word.startsWith('@'));
    return { bits, own: own.length === 0 ? null : new PathSets({ own: { paths: own } }) };
  }

  private globs(value: Json, at: string): readonly TextTest[] {
    return this.words(value, at).map(wordGlob);
  }

  private words(value: Json, at: string): readonly string[] {
    const written = (Array.isArray(value) ? value : [value]).map(String);
    return written.flatMap((word) => {
      if (!isList(word)) return [word];
      const list = this.names.lists.get(word.slice(1));
      if (list !== undefined) return list;
      this.unknown(at, word.slice(1), [...this.names.lists.keys()], '$');
      return [];
    });
  }

  private unknown(at: string, name: string, names: readonly string[], sign: string): void {
    this.faults.push(`${at}: there is no ${sign}${name}${didYouMean(name, names)}`);
  }
}

const ORDER: readonly Key[] = [
  'program',
  'unread',
  ...(Object.keys(CONDITION.fields!) as Key[]).filter(
    (key) =>
      ![
        'program',
        'unread',
        'all',
        'any',
        'not',
        'fed_by',
        'reads_from',
        'beside',
        'line',
        'text',
        'whole',
        'code',
        'input',
        'says',
      ].includes(key),
  ),
  'all',
  'any',
  'fed_by',
  'reads_from',
  'beside',
  'line',
  'text',
  'whole',
  'code',
  'input',
  'says',
  'not',
];

export type MadeCondition =
  | { readonly ok: true; readonly test: Test }
  | { readonly ok: false; readonly faults: readonly string[] };

export function compileCondition(written: Json, names: Names): MadeCondition {
  const compiler = new Compiler(names, false);
  const test = compiler.condition(written, 'match.');
  return compiler.faults.length > 0 ? { ok: false, faults: compiler.faults } : { ok: true, test };
}

/** The same for one without faults, part by part as commands need it. */
export function checkedCondition(written: Json, names: Names): Test {
  return new Compiler(names, true).condition(written, 'match.');
}

function lazy(make: () => Test): Test {
  let made: Test | null = null;
  return (subject) => {
    made ??= make();
    return made(subject);
  };
}

function faultText({ kind, field, value, path }: Fault): string {
  if (kind === 'unknown')
    return `no key of a condition${didYouMean(String(path.at(-1)), Object.keys(field.fields ?? {}))}`;
  return `want ${wantedOf(field, value)}`;
}

const FLAGS: Readonly<Partial<Record<Key, (subject: Subject) => boolean>>> = {
  elevated: ({ command }) => command.elevated,
  remote: ({ command }) => command.remote,
  runs_stdin: ({ command }) => command.runsStdin,
  dynamic: ({ command }) => command.dynamic,
  dynamic_program: ({ command }) => isUnknownProgram(command.words[0]),
  background: ({ command }) => command.background,
  feeds: (subject) => subject.feeds,
  input_known: ({ command }) => command.stdin.kind === 'text' && command.stdin.text !== null,
  endless: ({ command }) => command.endless,
  recursive: ({ command }) => command.recursive,
  wrapper: ({ command }) => command.wrapper,
};

const TEXTS = {
  line: (subject: Subject) => subject.line,
  text: ({ command }: Subject) => command.text,
  whole: ({ around }: Subject) => around.text,
  code: (subject: Subject) => subject.code,
  input: ({ command }: Subject) => command.stdin.text ?? '',
  says: ({ around }: Subject) => around.offered ?? '',
} as const;

function entries(value: Json): [string, Json][] {
  return Object.entries(value as JsonObject);
}

function programTest(words: readonly string[]): Test {
  const exact = new Set(words.filter((word) => !isProgramGlob(word)));
  const globs = words.filter(isProgramGlob).map(compileGlob);
  return ({ command: { program } }) => exact.has(program) || globs.some((glob) => glob(program));
}

/** Loops, here and below: they are gone through for every command. */
function some(tests: readonly Test[]): Test {
  return (subject) => {
    for (const test of tests) if (test(subject)) return true;
    return false;
  };
}

function every(tests: readonly Test[]): Test {
  return (subject) => {
    for (const test of tests) if (!test(subject)) return false;
    return true;
  };
}

/** What stands behind the operands of a wrapper belongs to what it starts, unless it is its own: `su - ada -c …`. */
function given(command: Command, flags: readonly string[]): boolean {
  return command.has(...flags) || (command.wrapper && flags.some((flag) => command.args.includes(flag)));
}

/** Small letters stand for both: `drop` is also `DROP`. */
function wordGlob(pattern: string): TextTest {
  const glob = compileGlob(pattern);
  return /[A-Z]/.test(pattern) ? glob : (word) => glob(word) || glob(word.toLowerCase());
}

function globTest(key: Key, globs: readonly TextTest[]): Test {
  const any = (words: readonly string[]) => words.some((word) => globs.some((glob) => glob(word)));
  if (key === 'path') return ({ command }) => any([command.path]);
  return key === 'operand' ? ({ operands }) => any(operands) : ({ args }) => any(args);
}

/** `* delete`: a word each; `**` for any number. Small and large letters are one. */
function subTest(patterns: readonly string[]): Test {
  const tests = patterns.map((pattern) =>
    pattern
      .toLowerCase()
      .split(' ')
      .map((word) => (word === '**' ? null : compileGlob(word))),
  );
  return ({ operands }) => {
    if (operands.length === 0) return false;
    const words = operands.slice(0, 12).map((word) => word.toLowerCase());
    return tests.some((pieces) => begins(words, 0, pieces, 0));
  };
}

function begins(
  words: readonly string[],
  at: number,
  pieces: readonly (TextTest | null)[],
  from: number,
): boolean {
  let i = at;
  for (let j = from; j < pieces.length; j++) {
    const piece = pieces[j]!;
    if (piece === null) {
      for (let next = i; next <= words.length; next++) if (begins(words, next, pieces, j + 1)) return true;
      return false;
    }
    if (i >= words.length || !piece(words[i]!)) return false;
    i++;
  }
  return true;
}

/** The value of an option stands behind it, behind `=`, or right behind the letter, which may be the last of several: `-sX PUT`. */
function optionTest(name: string, globs: readonly TextTest[]): Test {
  const like = (value: string | undefined) => value !== undefined && globs.some((glob) => glob(value));
  const short = /^-[^-]$/.test(name);
  return ({ args, command }) =>
    args.some((arg, at) => {
      if (arg === name) return like(args[at + 1]);
      if (arg.startsWith(`${name}=`)) return like(arg.slice(name.length + 1));
      if (!short || arg.length < 3 || arg[0] !== '-' || arg[1] === '-') return false;
      if (arg[1] === name[1]) return like(arg.slice(2));
      return LETTERS.test(arg) && arg.endsWith(name[1]!) && command.has(name) && like(args[at + 1]);
    });
}

/** Letters of single options in one word, not a long option with one dash. */
const LETTERS = /^-[A-Za-z]{2,5}$/;

function assignTest(name: string, value: string): Test {
  const names = compileGlob(name);
  const values = compileGlob(value);
  return ({ command: { assigns } }) => assigns.some((each) => names(each.name) && values(each.value));
}
