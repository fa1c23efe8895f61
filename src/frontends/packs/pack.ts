/**
 * A pack, compiled: its rules with an index by program, so that a command no rule concerns costs a look-up. Judging is pure and
 * never throws because of a command.
 */
import type { Command, CommandReading } from '../../match/command/index.ts';
import { type CompiledCondition, compileCondition, type Names, programsOf } from './condition.ts';
import { PathSets } from './path-sets.ts';
import type { WrittenPack, WrittenRule, WrittenShared } from './shape.ts';
import { Subject, type Surroundings } from './subject.ts';

export interface Rule {
  /** `core/disk-write` */
  readonly name: string;
  readonly pack: string;
  readonly written: WrittenRule;
  /** Programs of which a command must be one, or null if it looks at any. */
  readonly programs: readonly string[] | null;
  /** Compiled when the rule first looks at a command. */
  readonly condition: CompiledCondition;
}

export interface Pack {
  readonly name: string;
  readonly version: number;
  readonly description: string;
  readonly rules: readonly Rule[];
  /** By the digest of its file, or of what ships. */
  readonly digest: string;
  readonly index: RuleIndex;
}

export interface RuleIndex {
  readonly byProgram: ReadonlyMap<string, readonly Rule[]>;
  readonly everywhere: readonly Rule[];
}

/** A rule that holds for a command of the text. */
export interface RuleMatch {
  readonly rule: Rule;
  readonly command: Command;
}

export interface SharedNames {
  readonly lists: Readonly<Record<string, readonly string[]>>;
  readonly sets: PathSets;
}

export function sharedNames({ lists, paths }: WrittenShared): SharedNames {
  return { lists, sets: new PathSets(paths) };
}

export interface MadePack {
  readonly pack: Pack;
  /** Rules that cannot be understood, by id. */
  readonly faults: readonly { readonly rule: string; readonly message: string }[];
}

/** What ships has been checked before; a pack from elsewhere is checked now, rule by rule. */
export function compilePack(
  written: WrittenPack,
  shared: SharedNames,
  digest: string,
  checked: 'now' | 'before' = 'now',
): MadePack {
  const names: Names = {
    lists: new Map(Object.entries({ ...shared.lists, ...written.lists })),
    sets: shared.sets,
  };
  const faults: { rule: string; message: string }[] = [];
  const rules = written.rules.map((rule) => new LazyRule(written.pack, rule, names));
  if (checked === 'now') {
    for (const { written: rule } of rules) {
      const made = compileCondition(rule.match, names);
      if (!made.ok) faults.push(...made.faults.map((message) => ({ rule: rule.id, message })));
    }
  }
  const { pack: name, version, description } = written;
  return { pack: { name, version, description, rules, digest, index: indexOf(rules) }, faults };
}

class LazyRule implements Rule {
  readonly name: string;
  readonly pack: string;
  readonly written: WrittenRule;
  readonly programs: readonly string[] | null;
  private readonly names: Names;
  private made: CompiledCondition | null = null;

  constructor(pack: string, written: WrittenRule, names: Names) {
    this.name = `${pack}/${written.id}`;
    this.pack = pack;
    this.written = written;
    this.names = names;
    this.programs = programsOf(written.match, names);
  }

  get condition(): CompiledCondition {
    if (this.made === null) {
      const made = compileCondition(this.written.match, this.names);
      // A rule that cannot be understood looks at everything and stops it: it is never silently off.
      this.made = made.ok ? made.condition : { test: () => true, patterns: false };
    }
    return this.made;
  }
}

export function indexOf(rules: readonly Rule[]): RuleIndex {
  const byProgram = new Map<string, Rule[]>();
  const everywhere: Rule[] = [];
  for (const rule of rules) {
    if (rule.programs === null) everywhere.push(rule);
    for (const program of new Set(rule.programs ?? [])) {
      const before = byProgram.get(program);
      if (before === undefined) byProgram.set(program, [rule]);
      else before.push(rule);
    }
  }
  return { byProgram, everywhere };
}

const NONE: readonly Rule[] = [];

/** The rules of a pack that look at a command at all. */
export function rulesFor({ byProgram, everywhere }: RuleIndex, program: string): readonly Rule[] {
  const own = byProgram.get(program) ?? NONE;
  return own.length === 0 ? everywhere : everywhere.length === 0 ? own : [...own, ...everywhere];
}

const MOST_TEXT = 20_000;

/** `text` is what was read. */
export function subjectsOf(
  reading: CommandReading,
  text: string,
  sets: PathSets,
  cwd: string | null,
): readonly Subject[] {
  const around: Surroundings = { sets, cwd, reading, text: text.slice(0, MOST_TEXT) };
  const subjects = reading.commands.map((command) => new Subject(command, around));
  // What could not be read is looked at too, as a command without a name.
  if (!reading.complete) subjects.push(new Subject({ ...EMPTY, text }, around));
  return subjects;
}

export function needsPatterns(index: RuleIndex, subjects: readonly Subject[]): boolean {
  return subjects.some(({ command }) =>
    rulesFor(index, command.program).some((rule) => rule.condition.patterns),
  );
}

export function matchesOf(index: RuleIndex, subjects: readonly Subject[]): RuleMatch[] {
  const found: RuleMatch[] = [];
  for (const subject of subjects) {
    for (const rule of rulesFor(index, subject.command.program)) {
      if (ruleHolds(rule, subject)) found.push({ rule, command: subject.command });
    }
  }
  return found;
}

function ruleHolds({ condition, written }: Rule, subject: Subject): boolean {
  return condition.test(subject) && (written.even_dry === true || !isRehearsal(subject.command));
}

const HELP = ['--help', '--version', '-help'];
const DRY = /^--?dry[-_]?run(?:=(?!none|false|0).*)?$/;

/** It only shows what it would do, or how it is used; what it is given to run and where it writes to happens all the same. */
function isRehearsal(command: Command): boolean {
  const { args, code, runsStdin, redirects, words } = command;
  if (words.length === 0 || code !== null || runsStdin || redirects.some(({ op }) => op.includes('>')))
    return false;
  return command.has(...HELP) || args.some((arg) => DRY.test(arg)) || args.at(-1) === '-h';
}

/** A command without a name and without anything. */
export const EMPTY: Command = {
  program: '',
  path: '',
  args: [],
  words: [],
  operands: [],
  flags: [],
  assigns: [],
  reads: [],
  writes: [],
  deletes: [],
  redirects: [],
  stdin: { kind: 'inherited', text: null, path: null },
  runsStdin: false,
  sources: [],
  via: [],
  wrapper: false,
  isFunction: false,
  recursive: false,
  elevated: false,
  remote: false,
  background: false,
  dynamic: false,
  code: null,
  cwd: null,
  cwdCertain: false,
  text: '',
  start: 0,
  end: 0,
  sub: () => '',
  has: () => false,
};
