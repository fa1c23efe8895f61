/**
 * A written condition as a test over one command. Compiled once; a name that does not exist is a fault in the value, never an
 * exception, and the rule is then refused as a whole.
 */
import {
  check,
  compileGlob,
  didYouMean,
  expandBraces,
  expectationOf,
  type Fault,
  isError,
  isJsonObject,
  type Json,
  type JsonObject,
  pathText,
  TOO_MANY_ALTERNATIVES,
} from '../base/index.ts';
import { type Command, inZone, operandsLike, optionLike, wordLike } from '../shell/index.ts';
import { isList, isProgramGlob, isUnknownProgram } from './needs.ts';
import { PathSets, type Sets } from './path-sets.ts';
import { lazyPattern, patternFault, type TextTest } from './patterns.ts';
import { CONDITION, type WrittenCondition, type WrittenSink } from './shape.ts';
import { compileSink, type SinkNames, sinkFaults } from './sinks.ts';
import type { Subject } from './subject.ts';

export type Test = (subject: Subject) => boolean;

export interface ConditionNames extends SinkNames {
  readonly sets: PathSets;
}

type Key = keyof WrittenCondition;

/** Patterns that the braces of one pack may add to those it writes; a file brings more of them than anybody can compile. */
export interface BraceBudget {
  left: number;
}

export function braceBudget(): BraceBudget {
  return { left: 10_000 };
}

class Compiler {
  readonly names: ConditionNames;
  readonly faults: string[] = [];
  /** Null: found right before; then each part is compiled when a command first gets as far as that. */
  private readonly budget: BraceBudget | null;

  constructor(names: ConditionNames, budget: BraceBudget | null) {
    this.names = names;
    this.budget = budget;
  }

  condition(written: Json, where: string): Test {
    const faults = this.budget === null ? [] : check(CONDITION, written).filter(isError);
    for (const fault of faults) this.faults.push(`${where}${pathText(fault.path)}: ${faultText(fault)}`);
    if (faults.length > 0 || !isJsonObject(written)) return () => false;
    const tests: Test[] = [];
    // In the order of the table: what costs least stands first there.
    for (const key of ORDER) {
      const value = (written as JsonObject)[key];
      if (value === undefined) continue;
      const make = () => this.key(key, value, where);
      tests.push(this.budget === null ? lazy(make) : make());
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
      case 'effect':
        return effectTest(value as JsonObject);
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
      case 'flow': {
        const written = value as WrittenSink;
        this.faults.push(...sinkFaults(written, this.names).map((fault) => `${at}: ${fault}`));
        const sink = compileSink(written, this.names);
        return (subject) => subject.finds(sink) !== null;
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
        return ({ command }) => hasFlag(command, words) || words.some((word) => command.args.includes(word));
      case 'without':
        return ({ command }) => !hasFlag(command, words);
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
        const globs = this.expanded(words, at).map(wordLike);
        return ({ sought }) => sought?.every((name) => globs.some((glob) => glob(name))) ?? false;
      }
      default:
        return globTest(key, this.expanded(words, at).map(wordLike));
    }
  }

  private like(key: keyof typeof TEXTS, patterns: readonly string[], at: string): Test {
    for (const pattern of this.budget === null ? [] : patterns) {
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
    const own = this.expanded(
      words.filter((word) => !word.startsWith('@')),
      at,
    );
    return { bits, own: own.length === 0 ? null : new PathSets({ own: { paths: own } }) };
  }

  /** `*.{log,tmp}` is two patterns. */
  private expanded(words: readonly string[], at: string): readonly string[] {
    return words.flatMap((word) => {
      const all = this.budget === null || this.budget.left > 0 ? expandBraces(word) : null;
      if (all === null) this.faults.push(`${at}: ${JSON.stringify(cut(word))}: ${TOO_MANY_ALTERNATIVES}`);
      else if (this.budget !== null) this.budget.left -= all.length - 1;
      return all ?? [];
    });
  }

  private globs(value: Json, at: string): readonly TextTest[] {
    return this.words(value, at).map(wordLike);
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

export function compileCondition(
  written: Json,
  names: ConditionNames,
  budget = braceBudget(),
): MadeCondition {
  const compiler = new Compiler(names, budget);
  const test = compiler.condition(written, 'match.');
  return compiler.faults.length > 0 ? { ok: false, faults: compiler.faults } : { ok: true, test };
}

/** The same for one without faults, part by part as commands need it. */
export function checkedCondition(written: Json, names: ConditionNames): Test {
  return new Compiler(names, null).condition(written, 'match.');
}

function lazy(make: () => Test): Test {
  let made: Test | null = null;
  return (subject) => {
    made ??= make();
    return made(subject);
  };
}

const LONGEST_SHOWN = 80;

function cut(word: string): string {
  return word.length > LONGEST_SHOWN ? `${word.slice(0, LONGEST_SHOWN)}…` : word;
}

function faultText({ kind, field, value, path }: Fault): string {
  if (kind === 'unknown')
    return `no key of a condition${didYouMean(String(path.at(-1)), Object.keys(field.fields ?? {}))}`;
  return `want ${expectationOf(field, value)}`;
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

/** All keys speak of one effect. */
function effectTest({ kind, verb, of, zone, recursive, from, certainty }: JsonObject): Test {
  const words = (value: Json | undefined) =>
    value === undefined ? null : (Array.isArray(value) ? value : [value]).map(String);
  const [kinds, verbs, resources, zones] = [words(kind), words(verb), words(of), words(zone)];
  const [origins, certainties] = [words(from), words(certainty)];
  const among = (list: readonly string[] | null, word: string | null) =>
    list === null || (word !== null && list.includes(word));
  return ({ effects }) =>
    effects.some(
      (effect) =>
        among(kinds, effect.kind) &&
        among(verbs, effect.verb) &&
        among(resources, effect.resource) &&
        among(origins, effect.from) &&
        among(certainties, effect.certainty) &&
        (recursive === undefined || effect.recursive === recursive) &&
        (zones === null || effect.paths.some((path) => inZone(path.zone, zones))),
    );
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
function hasFlag(command: Command, flags: readonly string[]): boolean {
  return command.has(...flags) || (command.wrapper && flags.some((flag) => command.args.includes(flag)));
}

function globTest(key: Key, globs: readonly TextTest[]): Test {
  const any = (words: readonly string[]) => words.some((word) => globs.some((glob) => glob(word)));
  if (key === 'path') return ({ command }) => any([command.path]);
  return key === 'operand' ? ({ operands }) => any(operands) : ({ args }) => any(args);
}

function subTest(patterns: readonly string[]): Test {
  const tests = patterns.map(operandsLike);
  return ({ operands }) => tests.some((test) => test(operands));
}

function optionTest(name: string, globs: readonly TextTest[]): Test {
  const test = optionLike(name, (value) => globs.some((glob) => glob(value)));
  return ({ args, command }) => test(args, command);
}

function assignTest(name: string, value: string): Test {
  const names = compileGlob(name);
  const values = compileGlob(value);
  return ({ command: { assigns } }) => assigns.some((each) => names(each.name) && values(each.value));
}
