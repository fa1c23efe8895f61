/**
 * One input decided by two policies, each in a run and a machine of its own, and what is different about what they say.
 */
import { canonicalJson, isJsonObject, type Json } from '../../base/index.ts';
import { type Action, type Actor, Engine, type MaybePromise, type Outcome } from '../../engine/index.ts';
import type { Policy } from '../policy.ts';
import { type FrozenHost, frozenHost } from '../testing/frozen-host.ts';
import type { TestCase } from '../testing/test-case.ts';
import type { Input } from './inputs.ts';

/** Stands for the folder of a policy in what is tried, so that both see a call of their own folder. */
export const FOLDER = '/harness-project';

/** What the machine answers to hooks: what the tests of both policies say that it does. */
export type Answers = Pick<TestCase, 'http' | 'commands' | 'env'>;

export interface ComparedOutcome {
  readonly action: Action;
  readonly reason: string | null;
  readonly hook: string | null;
  /** What was put in the place of the payload. */
  readonly payload?: Json;
}

export interface Difference {
  /** `allow->block`, …; `effects` where only what the model or the user is told differs. */
  readonly class: string;
  /** The hook that makes the difference: the one that stops it now, or the one that stopped it then. */
  readonly hook: string | null;
  /** The step that came out differently. */
  readonly step: number;
  readonly before: ComparedOutcome;
  readonly after: ComparedOutcome;
}

export interface Decided {
  readonly difference: Difference | null;
  /** Which hooks ran and what they said together: a new one is worth going on from. */
  readonly signature: string;
}

export async function decideBoth(
  input: Input,
  [old, next]: readonly [Policy, Policy],
  answers: Answers,
): Promise<Decided> {
  const [before, after] = [new Decider(old, input, answers), new Decider(next, input, answers)];
  let signature = '';
  for (const [step, { event, payload }] of input.steps.entries()) {
    const was = await before.decide(event, payload);
    const is = await after.decide(event, payload);
    signature = `${signatureOf(was)} ${signatureOf(is)}`;
    const difference = differenceOf(was, is, [before.said(was), after.said(is)], step);
    if (difference !== null) return { difference, signature };
  }
  return { difference: null, signature };
}

class Decider {
  private readonly dir: string;
  private readonly host: FrozenHost;
  private readonly engine: Engine;
  private readonly actor: Actor | null;
  private began = false;

  constructor(policy: Policy, { clock, cwd, actor }: Input, answers: Answers) {
    this.dir = policy.dir;
    this.host = frozenHost({ ...answers, clock });
    this.actor = actor;
    const { registry } = policy;
    const run = policy.newRun({ cwd: cwd === '' ? this.dir : `${this.dir}/${cwd}` });
    this.engine = new Engine({ registry, host: this.host, run, canAsk: true, canDelegate: true });
  }

  decide(event: string, payload: Json): MaybePromise<Outcome> {
    if (this.began) this.host.tick();
    this.began = true;
    return this.engine.decide(event, withFolder(payload, FOLDER, this.dir), { actor: this.actor });
  }

  said({ action, reason, hook, payload }: Outcome): ComparedOutcome {
    return {
      action,
      reason: reason?.replaceAll(this.dir, FOLDER) ?? null,
      hook,
      ...(action === 'modify' && { payload: withFolder(payload as Json, this.dir, FOLDER) }),
    };
  }
}

/** Texts with one folder in the place of another. */
export function withFolder(value: Json, from: string, to: string): Json {
  if (typeof value === 'string') return value.includes(from) ? value.replaceAll(from, to) : value;
  if (Array.isArray(value)) return value.map((each) => withFolder(each, from, to));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withFolder(each, from, to)]));
}

function signatureOf({ action, hook, trace }: Outcome): string {
  const ran = trace
    .filter(({ state }) => state === 'ran')
    .map((each) => `${each.hook}=${each.decision ?? each.failure?.kind}`);
  return `${action} ${hook} ${ran.join()}`;
}

/** That another hook says it, or in other words, is the same. */
function differenceOf(
  was: Outcome,
  is: Outcome,
  [before, after]: readonly [ComparedOutcome, ComparedOutcome],
  step: number,
): Difference | null {
  const hook = after.action === 'allow' ? (before.hook ?? after.hook) : after.hook;
  const found = { hook, step, before, after };
  if (before.action !== after.action || rewriteText(before) !== rewriteText(after))
    return { class: `${before.action}->${after.action}`, ...found };
  return attachmentTexts(was) === attachmentTexts(is) ? null : { class: 'effects', ...found };
}

/** The text of the arguments is written by the engine. */
function rewriteText({ payload }: ComparedOutcome): string {
  if (payload === undefined) return '';
  if (!isJsonObject(payload) || !('args' in payload)) return canonicalJson(payload);
  const { arguments: _arguments, ...rest } = payload;
  return canonicalJson(rest);
}

/** What reaches the model or the user, by kind: another wording is the same. */
function attachmentTexts({ effects }: Outcome): string {
  return effects
    .map(({ kind }) => kind)
    .filter((kind) => kind === 'reminder' || kind === 'context' || kind === 'output')
    .sort()
    .join();
}
