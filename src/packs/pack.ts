/**
 * A pack, compiled: its rules with an index by program, so that a command no rule concerns costs a look-up. Judging is pure and
 * never throws because of a command.
 */
import type { DecisionSite } from '../engine/index.ts';
import { type Command, type CommandReading, isRehearsal, NO_COMMAND } from '../shell/index.ts';
import { braceBudget, type ConditionNames, compileCondition } from './condition.ts';
import { PathSets } from './path-sets.ts';
import { PlannedIndex, planIndex, type RuleIndex } from './rule-index.ts';
import type { WrittenPack, WrittenRule, WrittenShared } from './shape.ts';
import type { Finding } from './sinks.ts';
import { type DecisionContext, Subject } from './subject.ts';
import { Verbs } from './verbs.ts';

export interface Rule {
  /** `core/disk-write` */
  readonly name: string;
  readonly pack: string;
  readonly written: WrittenRule;
  /** Where it is written. */
  readonly site?: DecisionSite | undefined;
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

/** A rule that holds for a command of the text. */
export interface RuleMatch {
  readonly rule: Rule;
  readonly command: Command;
  /** Of a rule over a sink: what comes from where it may not. */
  readonly finding?: Finding;
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
export function compilePack(
  written: WrittenPack,
  shared: SharedNames,
  digest: string,
  siteOf: (rule: number) => DecisionSite | undefined = () => undefined,
): MadePack {
  const names = namesOf(written, shared);
  const faults: { rule: string; message: string }[] = [];
  const rules = written.rules.map(
    (rule, at): Rule => ({
      name: `${written.pack}/${rule.id}`,
      pack: written.pack,
      written: rule,
      site: siteOf(at),
    }),
  );
  const broken = new Set<Rule>();
  const budget = braceBudget();
  for (const rule of rules) {
    const made = compileCondition(rule.written.match, names, budget);
    if (made.ok) continue;
    broken.add(rule);
    faults.push(...made.faults.map((message) => ({ rule: rule.written.id, message })));
  }
  const { pack: name, version, description } = written;
  const index = new PlannedIndex(planIndex(written, names), rules, names, broken);
  return { pack: { name, version, description, rules, digest, index }, faults };
}

export function namesOf(
  { lists, verbs }: Pick<WrittenPack, 'lists' | 'verbs'>,
  shared: SharedNames,
): ConditionNames {
  return {
    lists: new Map(Object.entries({ ...shared.lists, ...lists })),
    verbs: new Verbs(verbs),
    sets: shared.sets,
  };
}

/** The rules that look at a command, by name. */
export function lookingRules({ index }: Pack, subjects: readonly Subject[]): readonly Rule[] {
  const parts = subjects.flatMap(({ command, features, pairs }) =>
    index.partsFor(command.program, features).filter(({ texts }) => pairs.may(texts)),
  );
  return [...new Set(parts.map(({ rule }) => rule))];
}

const MOST_TEXT = 20_000;

/** `text` is what was read. */
export function subjectsOf(
  reading: CommandReading,
  text: string,
  sets: PathSets,
  cwd: string | null,
  roots: readonly string[] = [],
): readonly Subject[] {
  const around: DecisionContext = { sets, cwd, roots, reading, text: text.slice(0, MOST_TEXT) };
  const subjects = reading.commands.map((command) => new Subject(command, around));
  // What could not be read is looked at too, as a command without a name.
  if (!reading.complete) subjects.push(new Subject({ ...NO_COMMAND, text }, around));
  return subjects;
}

/** A tool that is offered: what it says is looked at, and no more than its name is told. */
export function offeredSubject(name: string, offered: string, sets: PathSets): Subject {
  const reading: CommandReading = { commands: [], errors: [], complete: true, dynamic: false };
  return new Subject(
    { ...NO_COMMAND, text: `the tool ${name}` },
    { sets, cwd: null, reading, text: '', offered },
  );
}

export function matchesOf(index: RuleIndex, subjects: readonly Subject[]): RuleMatch[] {
  const found: RuleMatch[] = [];
  for (const subject of subjects) {
    const { command, features, pairs } = subject;
    const first = found.length;
    for (const part of index.partsFor(command.program, features)) {
      if (!pairs.may(part.texts)) continue;
      const { rule } = part;
      if (found.some((match, at) => at >= first && match.rule === rule)) continue;
      if (part.test(subject) && (rule.written.even_dry === true || !isRehearsal(command))) {
        found.push({ rule, command, ...(subject.finding !== null && { finding: subject.finding }) });
      }
    }
  }
  return found;
}
