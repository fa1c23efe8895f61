/**
 * Which parts of a pack's rules may concern a command: by its program, by plain facts and by pairs of letters in it. Read from
 * the conditions themselves when a pack is made, and the same with and without: what is left out could not have held.
 */
import { isJsonObject, type Json, type JsonObject } from '../base/index.ts';
import { statedKindsOf } from '../shell/index.ts';
import { type PairLists, pairsOf } from './bigram-filter.ts';
import { type ConditionNames, checkedCondition, type Test } from './condition.ts';
import {
  type Features,
  FLOWS,
  isProgramGlob,
  KIND_MARK,
  NO_COMMANDS,
  needsOf,
  OFFERED,
  programsOf,
  type Texts,
} from './needs.ts';
import type { Rule } from './pack.ts';
import type { WrittenPack } from './shape.ts';

/**
 * A part of a rule: one branch of its `any`, or all of it. Divided, so that a branch about one program costs nothing with
 * others, and one about assignments nothing without any.
 */
export interface RulePart {
  readonly rule: Rule;
  /** What a command must have for the part to hold, see needs.ts. */
  readonly needs: Features;
  readonly texts: PairLists;
  readonly test: Test;
}

export interface RuleIndex {
  /** What its rules look at. */
  readonly looksAt: { readonly calls: boolean; readonly offers: boolean; readonly flow: boolean };
  /** The parts that may concern a program which has these features. */
  partsFor(program: string, features: Features): readonly RulePart[];
}

/** The same as data, so that what ships brings it along. Parts are named by their place. */
export interface IndexPlan {
  /** Of each rule, the place of its first part; the branches of its `any` follow each other. */
  readonly first: readonly number[];
  /** Of each part, the features it needs. */
  readonly needs: readonly Features[];
  /** Of each part, the texts it needs. */
  readonly texts: readonly Texts[];
  /** The places of a program's parts. */
  readonly programs: Readonly<Record<string, readonly number[]>>;
  readonly everywhere: readonly number[];
}

class LazyPart implements RulePart {
  readonly rule: Rule;
  readonly needs: Features;
  readonly texts: PairLists;
  private readonly branch: number;
  private readonly names: ConditionNames;
  private made: Test | null;

  constructor(
    rule: Rule,
    branch: number,
    needs: Features,
    texts: Texts,
    names: ConditionNames,
    broken: boolean,
  ) {
    this.rule = rule;
    this.needs = broken ? needs & NO_COMMANDS : needs;
    this.texts = broken ? [] : pairsOf(texts);
    this.branch = branch;
    this.names = names;
    // What cannot be understood holds for everything: it is never silently off.
    this.made = broken ? () => true : null;
  }

  get test(): Test {
    this.made ??= checkedCondition(branchesOf(this.rule.written.match)[this.branch]!, this.names);
    return this.made;
  }
}

/** The parts that look at a program. */
class ProgramParts {
  private readonly parts: readonly RulePart[];
  /** Few combinations make most of what is run. */
  private readonly byFeatures = new Map<Features, readonly RulePart[]>();

  constructor(parts: readonly RulePart[]) {
    this.parts = parts;
  }

  having(features: Features): readonly RulePart[] {
    let found = this.byFeatures.get(features);
    if (found === undefined) {
      found = this.parts.filter(
        ({ needs }) => (needs & features) === needs && (needs & NO_COMMANDS) === (features & NO_COMMANDS),
      );
      if (this.byFeatures.size < MOST_KEPT) this.byFeatures.set(features, found);
    }
    return found;
  }
}

const MOST_KEPT = 200;
const MOST_PROGRAMS = 2000;

/** Parts are made when a command first concerns them. */
export class PlannedIndex implements RuleIndex {
  readonly looksAt: RuleIndex['looksAt'];
  private readonly plan: IndexPlan;
  private readonly rules: readonly Rule[];
  private readonly names: ConditionNames;
  private readonly broken: ReadonlySet<Rule>;
  private readonly parts: (LazyPart | undefined)[] = [];
  private readonly known = new Map<string, ProgramParts>();
  private others: ProgramParts | null = null;

  constructor(
    plan: IndexPlan,
    rules: readonly Rule[],
    names: ConditionNames,
    broken: ReadonlySet<Rule> = new Set<Rule>(),
  ) {
    this.plan = plan;
    this.rules = rules;
    this.names = names;
    this.broken = broken;
    const { needs } = plan;
    this.looksAt = {
      calls: needs.some((each) => (each & OFFERED) === 0),
      offers: needs.some((each) => (each & OFFERED) !== 0),
      flow: needs.some((each) => (each & FLOWS) !== 0),
    };
  }

  partsFor(program: string, features: Features): readonly RulePart[] {
    return (this.known.get(program) ?? this.programParts(program)).having(features);
  }

  private programParts(program: string): ProgramParts {
    const { programs, everywhere } = this.plan;
    const keys = [program, ...statedKindsOf(program).map((kind) => `${KIND_MARK}${kind}`)];
    const named = keys.some((key) => Object.hasOwn(programs, key));
    if (!named) this.others ??= new ProgramParts(everywhere.map((at) => this.part(at)));
    const own = new Set(keys.flatMap((key) => (Object.hasOwn(programs, key) ? programs[key]! : [])));
    const made = named ? new ProgramParts([...own, ...everywhere].map((at) => this.part(at))) : this.others!;
    if (named || this.known.size < MOST_PROGRAMS) this.known.set(program, made);
    return made;
  }

  private part(at: number): LazyPart {
    const known = this.parts[at];
    if (known !== undefined) return known;
    const { first, needs, texts } = this.plan;
    const place = first.findLastIndex((begins) => begins <= at);
    const rule = this.rules[place]!;
    const branch = at - first[place]!;
    const part = new LazyPart(rule, branch, needs[at]!, texts[at]!, this.names, this.broken.has(rule));
    this.parts[at] = part;
    return part;
  }
}

export function planIndex({ rules }: Pick<WrittenPack, 'rules'>, names: ConditionNames): IndexPlan {
  const byProgram = new Map<string, number[]>();
  const everywhere: number[] = [];
  const first: number[] = [];
  const features: Features[] = [];
  const texts: Texts[] = [];
  for (const rule of rules) {
    first.push(features.length);
    for (const match of branchesOf(rule.match)) {
      const at = features.length;
      const needs = needsOf(match, names);
      features.push(needs.features);
      texts.push(needs.texts);
      const programs = programsOf(match, names);
      if (programs === null) everywhere.push(at);
      for (const program of new Set(programs ?? [])) {
        const before = byProgram.get(program);
        if (before === undefined) byProgram.set(program, [at]);
        else before.push(at);
      }
    }
  }
  return { first, needs: features, texts, programs: Object.fromEntries(byProgram), everywhere };
}

/**
 * What a condition comes to, one case each: the branches of `any`, and those of branches, with what stands beside them. A list
 * of programs with patterns in it is two, so that the others are found by name.
 */
function branchesOf(match: JsonObject): JsonObject[] {
  const { any, program, ...rest } = match;
  const cases = Array.isArray(any)
    ? any.flatMap((each) =>
        isJsonObject(each) ? branchesOf(each).map((one) => ({ any: [one] })) : [{ any: [each] }],
      )
    : [{}];
  return programLists(program).flatMap((own) => cases.map((one) => ({ ...own, ...rest, ...one })));
}

function programLists(program: Json | undefined): JsonObject[] {
  if (program === undefined) return [{}];
  const words = Array.isArray(program) ? program : [program];
  const [plain, globs]: [Json[], Json[]] = [[], []];
  for (const word of words) (isProgramGlob(String(word)) ? globs : plain).push(word);
  return [plain, globs].filter((list) => list.length > 0).map((list) => ({ program: list }));
}
