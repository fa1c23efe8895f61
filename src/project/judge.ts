/**
 * One call judged by the whole policy of a folder, for people who ask why: nothing is started, spoken to or counted. Hooks that run
 * code or programs or send data away are left out and named.
 */
import type { JsonObject } from '../base/index.ts';
import type { DecisionSite, Hook, Outcome, TraceEntry } from '../engine/index.ts';
import type { Policy } from '../policy/index.ts';

/** Takes the hooks of tool calls out that run code or programs of a folder or send data away, and returns them. */
export function outcomeWithout(policy: Policy): Hook[] {
  const left = policy.hooks.filter(
    ({ event, capability }) => event === 'tool.pre' && capability !== undefined,
  );
  if (left.length > 0) policy.registry.replaceAll(policy.hooks.filter((hook) => !left.includes(hook)));
  return left;
}

/** What one hook said that stops a call, or would if it were in force. */
export interface Objection {
  readonly hook: string;
  readonly action: 'block' | 'ask';
  readonly mode: TraceEntry['mode'];
  readonly reason: string | null;
  /** The line that says it. */
  readonly place: string;
  readonly isPack: boolean;
  /** It is the one that decided. */
  readonly decided: boolean;
}

/** `session`: what hooks remember is kept apart for each. */
export async function judgeCall(
  policy: Policy,
  payload: JsonObject,
  session: string,
): Promise<{ readonly outcome: Outcome; readonly objections: readonly Objection[] }> {
  const outcome = await policy.decide('tool.pre', payload as never, { session });
  return { outcome, objections: objectionsIn(outcome, policy.registry.list('tool.pre')) };
}

function objectionsIn(outcome: Outcome, chain: readonly Hook[]): Objection[] {
  const { trace, decidedBy, hook } = outcome;
  return trace.flatMap((entry): Objection[] => {
    const failed = entry.onFailure === 'blocked';
    const action = failed ? 'block' : entry.decision;
    if (action !== 'block' && action !== 'ask') return [];
    const decided = entry.hook === hook && entry.source === decidedBy?.source;
    const line = decided
      ? decidedBy?.line
      : chain.find(({ name, source }) => name === entry.hook && source === entry.source)?.line;
    const reason = failed ? (entry.failure?.message ?? null) : entry.reason;
    const site = decided ? decidedBy?.site : undefined;
    const place = placeText(site ?? { file: entry.source, line });
    const isPack = entry.frontEnd === 'packs';
    return [{ hook: entry.hook, action, mode: entry.mode, reason, place, isPack, decided }];
  });
}

/** `file:line` */
export function placeText({
  file,
  line,
}: Omit<DecisionSite, 'line'> & { readonly line?: number | undefined }) {
  return line === undefined ? file : `${file}:${line}`;
}
