/**
 * Looks for calls that two policies decide differently. What it finds is certain; that it finds nothing is no proof, and is
 * never said as one. The same seed and policies give the same findings.
 */
import type { Policy } from '../policy.ts';
import { testsOf } from '../testing/run-tests.ts';
import type { TestCase } from '../testing/test-case.ts';
import {
  type Answers,
  type Decided,
  type Difference,
  decideBoth,
  FOLDER,
  withFolder,
} from './decide-both.ts';
import {
  commandCall,
  generated,
  type Input,
  inputOf,
  mutated,
  type Step,
  singleClues,
  type Vocabulary,
} from './inputs.ts';
import { minimise } from './minimise.ts';
import { Random } from './random.ts';
import { type Scope, type ScriptCollector, scopesOf } from './vocabulary.ts';

export interface Side {
  readonly policy: Policy;
  readonly scripts: ScriptCollector;
}

export interface SearchOptions {
  readonly seed: number;
  readonly tries: number;
  /** Recorded calls, tried before anything is made up. */
  readonly recorded?: Iterable<Step>;
  /** Wall clock after which it stops, and says so. */
  readonly mostMs?: number;
  readonly onProgress?: (tries: number, found: number) => unknown;
}

export interface Finding extends Difference {
  readonly input: Input;
}

/** Findings of one class that one hook makes. */
export interface FindingGroup {
  readonly class: string;
  readonly hook: string | null;
  /** Calls that were found, of which the smallest are shown. */
  readonly count: number;
  readonly examples: readonly Finding[];
}

export interface SearchResult {
  readonly tries: number;
  readonly seed: number;
  readonly groups: readonly FindingGroup[];
  /** It was to try more and ran out of time. */
  readonly outOfTime: boolean;
}

/** Made smaller and kept of each group, each with other reasons. */
const MOST_MINIMISED = 5;
const PROGRESS_EVERY = 200;
const MOST_CORPUS = 2000;
const CLUE_SHARE = 0.4;

export async function searchDifferences(
  old: Side,
  next: Side,
  options: SearchOptions,
): Promise<SearchResult> {
  const search = new Search(old, next, options);
  await search.run();
  return search.result();
}

class Search {
  private readonly policies: readonly [Policy, Policy];
  private readonly options: SearchOptions;
  private readonly answers: Answers;
  private readonly cases: readonly TestCase[];
  private readonly vocabulary: Vocabulary;
  private readonly random: Random;
  private readonly corpus: Input[] = [];
  private readonly signatures = new Set<string>();
  private readonly found = new Map<string, { count: number; examples: Map<string, Finding> }>();
  private readonly began: number;
  private tries = 0;

  constructor(old: Side, next: Side, options: SearchOptions) {
    this.policies = [old.policy, next.policy];
    this.options = options;
    this.random = new Random(options.seed);
    this.cases = this.policies.flatMap((policy) => testsOf(policy).cases);
    this.answers = answersOf(this.cases);
    this.vocabulary = vocabularyOf(
      [scopesOf(old.policy, old.scripts), scopesOf(next.policy, next.scripts)],
      this.policies,
    );
    this.began = this.now();
  }

  async run(): Promise<void> {
    for (const input of this.examples()) if (!(await this.attempt(input))) return;
    const clues = Math.floor(this.options.tries * CLUE_SHARE);
    for (const input of singleClues(this.vocabulary, this.random)) {
      if (this.tries >= clues) break;
      if (!(await this.attempt(input))) return;
    }
    while (await this.attempt(this.invented()));
  }

  result(): SearchResult {
    const groups = [...this.found].map(([key, { count, examples }]): FindingGroup => {
      const { class: kind, hook } = JSON.parse(key) as Pick<Difference, 'class' | 'hook'>;
      return { class: kind, hook, count, examples: [...examples.values()] };
    });
    groups.sort((a, b) => rankOf(a.class) - rankOf(b.class) || b.count - a.count);
    return { tries: this.tries, seed: this.options.seed, groups, outOfTime: this.tries < this.options.tries };
  }

  /** What was recorded and what people wrote down: calls that matter to them. */
  private *examples(): Generator<Input> {
    for (const { event, payload } of this.options.recorded ?? []) yield this.at([{ event, payload }]);
    for (const { steps, clock } of this.cases) {
      const fired = steps.map(({ event, payload }) => ({ event, payload }));
      yield { ...this.at(fired), clock };
      if (fired.length > 1) for (const step of fired) yield { ...this.at([step]), clock };
    }
    const rules = this.policies.flatMap(({ packs }) => packs.packs.flatMap(({ pack }) => pack.rules));
    const texts = new Set(
      rules.flatMap(({ written: { examples } }) => [...examples.stops, ...examples.passes]),
    );
    for (const text of texts) {
      const input = commandCall(text);
      yield input;
      for (const cwd of this.vocabulary.folders) yield { ...input, cwd };
    }
  }

  private at(steps: readonly Step[]): Input {
    const placed = (payload: Step['payload']) =>
      this.policies.reduce((each, { dir }) => withFolder(each, dir, FOLDER), payload);
    return inputOf(steps.map(({ event, payload }) => ({ event, payload: placed(payload) })));
  }

  private invented(): Input {
    const before = this.random.chance(0.6) ? this.random.pick(this.corpus) : undefined;
    if (before !== undefined) return mutated(before, this.vocabulary, this.random);
    return generated(this.vocabulary, this.random) ?? commandCall('ls');
  }

  /** False when it is time to stop. */
  private async attempt(input: Input): Promise<boolean> {
    const { tries, mostMs = Number.POSITIVE_INFINITY, onProgress } = this.options;
    if (this.tries >= tries || this.now() - this.began > mostMs) return false;
    this.tries++;
    if (onProgress !== undefined && this.tries % PROGRESS_EVERY === 0)
      await onProgress(this.tries, this.count);
    const { difference, signature } = await this.decide(input);
    if (difference !== null) await this.keep(input, difference);
    if (!this.signatures.has(signature) && this.corpus.length < MOST_CORPUS) {
      this.signatures.add(signature);
      this.corpus.push(input);
    }
    return true;
  }

  private async keep(input: Input, difference: Difference): Promise<void> {
    const key = keyOf(difference);
    const group = this.found.get(key) ?? { count: 0, examples: new Map<string, Finding>() };
    this.found.set(key, group);
    group.count++;
    const reasons = reasonsOf(difference);
    if (group.examples.size >= MOST_MINIMISED || group.examples.has(reasons)) return;
    const small = await minimise(input, async (smaller) => {
      const again = (await this.decide(smaller)).difference;
      return again !== null && keyOf(again) === key && reasonsOf(again) === reasons;
    });
    group.examples.set(reasons, { input: small, ...(await this.decide(small)).difference! });
  }

  private decide(input: Input): Promise<Decided> {
    return decideBoth(input, this.policies, this.answers);
  }

  private get count(): number {
    return [...this.found.values()].reduce((sum, { count }) => sum + count, 0);
  }

  private now(): number {
    return this.policies[0].host.elapsed();
  }
}

function keyOf({ class: kind, hook }: Difference): string {
  return JSON.stringify({ class: kind, hook });
}

/** What was stopped and passes now is what a reviewer must not miss. */
const ORDER = ['block->allow', 'ask->allow', 'block->ask', 'block->modify', 'modify->allow'];

function rankOf(kind: string): number {
  const at = ORDER.indexOf(kind);
  return at < 0 ? ORDER.length : at;
}

/** Both reasons without what they quote of the call: one example is shown of each pair. */
function reasonsOf({ before, after }: Difference): string {
  return [before, after]
    .map(({ reason }) => (reason ?? '').replace(/`[^`]*`|"[^"]*"|'[^']*'/g, '…').slice(0, 60))
    .join('\n');
}

function answersOf(cases: readonly TestCase[]): Answers {
  return {
    http: cases.flatMap(({ http }) => http),
    commands: cases.flatMap(({ commands }) => commands),
    env: Object.assign({}, ...cases.map(({ env }) => env)) as Record<string, string>,
  };
}

const USUAL_TOOLS = ['run_command', 'read_file', 'write_file', 'edit_file', 'fetch_url', 'mcp__server__tool'];
const DAY = 86_400_000;

function vocabularyOf(
  scopes: readonly [readonly Scope[], readonly Scope[]],
  policies: readonly Policy[],
): Vocabulary {
  const texts = scopes.map((each) => new Set(each.map(({ text }) => text)));
  const fresh = scopes.flatMap((each, at) => each.filter(({ text }) => !texts[1 - at]!.has(text)));
  const known = new Set<string>();
  const all = scopes.flat().filter(({ text, event }) => {
    const key = `${event}\n${text}`;
    return !known.has(key) && known.add(key);
  });
  const clues = [...fresh, ...all].flatMap((scope) => scope.clues);
  const named = clues.flatMap(({ key, kind, value }) =>
    typeof value === 'string' && (key === 'name' || key === 'tool') && kind === 'is' ? [value] : [],
  );
  const words = clues.flatMap(({ kind, value }) =>
    typeof value === 'string' && kind !== 'regex' ? [value] : [],
  );
  const exceptions = policies.flatMap(({ packs }) => packs.exceptions);
  return {
    fresh,
    all,
    tools: [...new Set([...named, ...USUAL_TOOLS])],
    texts: [...new Set(words)],
    folders: [
      ...new Set(
        exceptions.flatMap(({ folder }) =>
          folder === null || folder.startsWith('/') ? [] : [folder.replace(/\/?\*.*$/, '')],
        ),
      ),
    ],
    clocks: [...new Set(exceptions.flatMap(({ until }) => (until === null ? [] : [until - DAY, until + 1])))],
  };
}
