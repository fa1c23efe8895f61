/**
 * A pack, compiled: its rules with an index by program, so that a command no rule concerns costs a look-up. Judging is pure and
 * never throws because of a command.
 */
import type { JsonObject } from '../../base/json.ts';
import type { Command, CommandReading } from '../../match/command/index.ts';
import { type CompiledCondition, compileCondition, type Names, programsOf } from './condition.ts';
import { type Features, neededBy } from './features.ts';
import { PathSets } from './path-sets.ts';
import type { WrittenPack, WrittenRule, WrittenShared } from './shape.ts';
import { Subject, type Surroundings } from './subject.ts';

export interface Rule {
  /** `core/disk-write` */
  readonly name: string;
  readonly pack: string;
  readonly written: WrittenRule;
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

/**
 * A part of a rule: one branch of its `any`, or all of it. Divided, so that a branch about one program costs nothing with
 * others, and one about assignments nothing without any.
 */
export interface RulePart {
  readonly rule: Rule;
  /** What a command must have for the part to hold, see features.ts. */
  readonly needs: Features;
  readonly condition: CompiledCondition;
}

export interface RuleIndex {
  readonly byProgram: ReadonlyMap<string, readonly RulePart[]>;
  readonly everywhere: readonly RulePart[];
  /** What was found for a program and features before: a few of them make most of what is run. */
  readonly found: Map<string, readonly RulePart[]>;
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
  const rules = written.rules.map(
    (rule): Rule => ({ name: `${written.pack}/${rule.id}`, pack: written.pack, written: rule }),
  );
  if (checked === 'now') {
    for (const { written: rule } of rules) {
      const made = compileCondition(rule.match, names);
      if (!made.ok) faults.push(...made.faults.map((message) => ({ rule: rule.id, message })));
    }
  }
  const { pack: name, version, description } = written;
  return { pack: { name, version, description, rules, digest, index: indexOf(rules, names) }, faults };
}

class LazyPart implements RulePart {
  readonly rule: Rule;
  readonly needs: Features;
  private readonly match: JsonObject;
  private readonly names: Names;
  private made: CompiledCondition | null = null;

  constructor(rule: Rule, match: JsonObject, names: Names) {
    this.rule = rule;
    this.match = match;
    this.names = names;
    this.needs = neededBy(match);
  }

  get condition(): CompiledCondition {
    if (this.made === null) {
      const made = compileCondition(this.match, this.names);
      // What cannot be understood holds for everything: it is never silently off.
      this.made = made.ok ? made.condition : { test: () => true, patterns: false };
    }
    return this.made;
  }
}

function indexOf(rules: readonly Rule[], names: Names): RuleIndex {
  const byProgram = new Map<string, RulePart[]>();
  const everywhere: RulePart[] = [];
  for (const rule of rules) {
    for (const match of branchesOf(rule.written.match, names)) {
      const part = new LazyPart(rule, match, names);
      const programs = programsOf(match, names);
      if (programs === null) everywhere.push(part);
      for (const program of new Set(programs ?? [])) {
        const before = byProgram.get(program);
        if (before === undefined) byProgram.set(program, [part]);
        else before.push(part);
      }
    }
  }
  return { byProgram, everywhere, found: new Map() };
}

/** The branches of `any` one by one, each with what stands beside it. */
function branchesOf(match: JsonObject, names: Names): JsonObject[] {
  const { any, ...rest } = match;
  if (!Array.isArray(any) || programsOf(rest, names) !== null) return [match];
  return any.map((branch) => ({ ...rest, any: [branch] }));
}

const NONE: readonly RulePart[] = [];

/** The parts of rules that look at a command at all. */
function partsFor({ byProgram, everywhere, found }: RuleIndex, subject: Subject): readonly RulePart[] {
  const { features } = subject;
  const own = byProgram.get(subject.command.program);
  const key = own === undefined ? `${features}` : `${features} ${subject.command.program}`;
  const before = found.get(key);
  if (before !== undefined) return before;
  const has = ({ needs }: RulePart) => (needs & features) === needs;
  const parts = [...(own ?? NONE).filter(has), ...everywhere.filter(has)];
  // Bounded by what the packs name and by the features, and by this.
  if (found.size < MOST_FOUND) found.set(key, parts);
  return parts;
}

const MOST_FOUND = 2000;

/** The rules that look at a command, by name. */
export function lookingRules({ index }: Pack, subjects: readonly Subject[]): readonly Rule[] {
  return [...new Set(subjects.flatMap((subject) => partsFor(index, subject)).map(({ rule }) => rule))];
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
  return subjects.some((subject) => partsFor(index, subject).some(({ condition }) => condition.patterns));
}

export function matchesOf(index: RuleIndex, subjects: readonly Subject[]): RuleMatch[] {
  const found: RuleMatch[] = [];
  for (const subject of subjects) {
    const first = found.length;
    for (const { rule, condition } of partsFor(index, subject)) {
      const known = found.some((match, at) => at >= first && match.rule === rule);
      if (
        !known &&
        condition.test(subject) &&
        !(rule.written.even_dry !== true && isRehearsal(subject.command))
      ) {
        found.push({ rule, command: subject.command });
      }
    }
  }
  return found;
}

const HELP = ['--help', '-help'];
const DRY =
  /^--?(?:dry[-_]?run|simulate|assumeno|no-act|just-print|recon|what-?if|noop)(?:=(?!none|false|0).*)?$/i;

/** It only shows what it would do, or how it is used; what it is given to run and where it writes to happens all the same. */
function isRehearsal(command: Command): boolean {
  const { args, code, runsStdin, redirects, words } = command;
  if (words.length === 0 || code !== null || runsStdin || redirects.some(({ op }) => op.includes('>')))
    return false;
  // In front of a value it is which version, not the wish to see one.
  const last = args.at(-1);
  return command.has(...HELP) || args.some((arg) => DRY.test(arg)) || last === '-h' || last === '--version';
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
