/**
 * A pack, compiled: its rules with an index by program, so that a command no rule concerns costs a look-up. Judging is pure and
 * never throws because of a command.
 */
import type { JsonObject } from '../../base/json.ts';
import type { Command, CommandReading } from '../../match/command/index.ts';
import { checkedCondition, compileCondition, type Names, programsOf, type Test } from './condition.ts';
import { type Features, neededBy, OFFERED } from './features.ts';
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
  readonly test: Test;
}

export interface RuleIndex {
  byProgram(program: string): readonly RulePart[];
  readonly everywhere: readonly RulePart[];
  /** What its rules look at. */
  readonly looksAt: { readonly calls: boolean; readonly offers: boolean };
  /** What was found for a program and features before: a few of them make most of what is run. */
  readonly found: Map<string, readonly RulePart[]>;
}

/**
 * The same as data, so that what ships brings it along. Parts are named by their place. In few large values: what a process reads
 * before it decides, it pays for by the piece.
 */
export interface IndexPlan {
  /** Three numbers for each: rule, branch of its `any`, features. */
  readonly parts: readonly number[];
  /** The places of a program's parts, with spaces between them. */
  readonly programs: Readonly<Record<string, string>>;
  readonly everywhere: readonly number[];
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

/** A pack from elsewhere, checked rule by rule. What ships has been checked when it was built, see shipped.ts. */
export function compilePack(written: WrittenPack, shared: SharedNames, digest: string): MadePack {
  const names = namesOf(written, shared);
  const faults: { rule: string; message: string }[] = [];
  const rules = written.rules.map(
    (rule): Rule => ({ name: `${written.pack}/${rule.id}`, pack: written.pack, written: rule }),
  );
  const broken = new Set<Rule>();
  for (const rule of rules) {
    const made = compileCondition(rule.written.match, names);
    if (made.ok) continue;
    broken.add(rule);
    faults.push(...made.faults.map((message) => ({ rule: rule.written.id, message })));
  }
  const { pack: name, version, description } = written;
  const index = new PlannedIndex(planIndex(written, names), rules, names, broken);
  return { pack: { name, version, description, rules, digest, index }, faults };
}

export function namesOf({ lists }: Pick<WrittenPack, 'lists'>, shared: SharedNames): Names {
  return { lists: new Map(Object.entries({ ...shared.lists, ...lists })), sets: shared.sets };
}

class LazyPart implements RulePart {
  readonly rule: Rule;
  readonly needs: Features;
  private readonly branch: number;
  private readonly names: Names;
  private made: Test | null;

  constructor(rule: Rule, branch: number, needs: Features, names: Names, broken: boolean) {
    this.rule = rule;
    this.needs = broken ? needs & OFFERED : needs;
    this.branch = branch;
    this.names = names;
    // What cannot be understood holds for everything: it is never silently off.
    this.made = broken ? () => true : null;
  }

  get test(): Test {
    this.made ??= checkedCondition(branchesOf(this.rule.written.match, this.names)[this.branch]!, this.names);
    return this.made;
  }
}

/** Parts are made when a command first concerns them. */
export class PlannedIndex implements RuleIndex {
  readonly found = new Map<string, readonly RulePart[]>();
  private readonly plan: IndexPlan;
  private readonly rules: readonly Rule[];
  private readonly names: Names;
  private readonly broken: ReadonlySet<Rule>;
  private readonly parts: (LazyPart | undefined)[] = [];
  private readonly known = new Map<string, readonly RulePart[]>();
  private wide: readonly RulePart[] | null = null;

  constructor(
    plan: IndexPlan,
    rules: readonly Rule[],
    names: Names,
    broken: ReadonlySet<Rule> = new Set<Rule>(),
  ) {
    this.plan = plan;
    this.rules = rules;
    this.names = names;
    this.broken = broken;
  }

  get looksAt(): { readonly calls: boolean; readonly offers: boolean } {
    const needs = this.plan.parts.filter((_, at) => at % 3 === 2);
    return {
      calls: needs.some((each) => (each & OFFERED) === 0),
      offers: needs.some((each) => (each & OFFERED) !== 0),
    };
  }

  get everywhere(): readonly RulePart[] {
    this.wide ??= this.plan.everywhere.map((at) => this.part(at));
    return this.wide;
  }

  byProgram(program: string): readonly RulePart[] {
    const before = this.known.get(program);
    if (before !== undefined) return before;
    const { programs } = this.plan;
    if (!Object.hasOwn(programs, program)) return NONE;
    const parts = programs[program]!.split(' ').map((at) => this.part(Number(at)));
    this.known.set(program, parts);
    return parts;
  }

  private part(at: number): LazyPart {
    const { parts } = this.plan;
    const rule = this.rules[parts[3 * at]!]!;
    const [branch, needs] = [parts[3 * at + 1]!, parts[3 * at + 2]!];
    this.parts[at] ??= new LazyPart(rule, branch, needs, this.names, this.broken.has(rule));
    return this.parts[at];
  }
}

export function planIndex({ rules }: Pick<WrittenPack, 'rules'>, names: Names): IndexPlan {
  const byProgram = new Map<string, number[]>();
  const everywhere: number[] = [];
  const parts: number[] = [];
  for (const [place, rule] of rules.entries()) {
    for (const [branch, match] of branchesOf(rule.match, names).entries()) {
      const at = parts.length / 3;
      parts.push(place, branch, neededBy(match));
      const programs = programsOf(match, names);
      if (programs === null) everywhere.push(at);
      for (const program of new Set(programs ?? [])) {
        const before = byProgram.get(program);
        if (before === undefined) byProgram.set(program, [at]);
        else before.push(at);
      }
    }
  }
  const programs = [...byProgram].map(([program, places]) => [program, places.join(' ')] as const);
  return { parts, programs: Object.fromEntries(programs), everywhere };
}

/** The branches of `any` one by one, each with what stands beside it. */
function branchesOf(match: JsonObject, names: Names): JsonObject[] {
  const { any, ...rest } = match;
  if (!Array.isArray(any) || programsOf(rest, names) !== null) return [match];
  return any.map((branch) => ({ ...rest, any: [branch] }));
}

const NONE: readonly RulePart[] = [];

/** The parts of rules that look at a command at all. */
function partsFor(index: RuleIndex, subject: Subject): readonly RulePart[] {
  const { everywhere, found } = index;
  const { features } = subject;
  const own = index.byProgram(subject.command.program);
  const key = own.length === 0 ? `${features}` : `${features} ${subject.command.program}`;
  const before = found.get(key);
  if (before !== undefined) return before;
  const has = ({ needs }: RulePart) =>
    (needs & features) === needs && (needs & OFFERED) === (features & OFFERED);
  const parts = [...own.filter(has), ...everywhere.filter(has)];
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

/** A tool that is offered: what it says is looked at, and no more than its name is told. */
export function offeredSubject(name: string, offered: string, sets: PathSets): Subject {
  const reading: CommandReading = { commands: [], errors: [], complete: true, dynamic: false };
  return new Subject({ ...EMPTY, text: `the tool ${name}` }, { sets, cwd: null, reading, text: '', offered });
}

/** What an example of a rule may be: a command, or the text of a definition. */
export function exampleSubjects(text: string, reading: CommandReading, sets: PathSets): readonly Subject[] {
  return [...subjectsOf(reading, text, sets, null), offeredSubject('', text, sets)];
}

export function matchesOf(index: RuleIndex, subjects: readonly Subject[]): RuleMatch[] {
  const found: RuleMatch[] = [];
  for (const subject of subjects) {
    const first = found.length;
    for (const part of partsFor(index, subject)) {
      const { rule } = part;
      const known = found.some((match, at) => at >= first && match.rule === rule);
      if (!known && part.test(subject) && !(rule.written.even_dry !== true && isRehearsal(subject.command))) {
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
  return (
    command.has(...HELP) ||
    args.some((arg) => DRY.test(arg)) ||
    last === '-h' ||
    last === '--version' ||
    (!command.wrapper && command.sub(0) === 'help')
  );
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
