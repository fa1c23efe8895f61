/** One event decided by the policy, or by the policy with a draft in it: what it says, what is wrong with the draft, how a command is read. */
import { isJsonObject, type Json } from '../../base/json.ts';
import type { Tried } from '../../daemon/page/api.ts';
import { PageError } from '../../daemon/page/app.ts';
import type { Outcome } from '../../events/decision.ts';
import { checkPayload } from '../../events/describe.ts';
import { describeOutcome, effectText, rewritten } from '../../hooks/describe-outcome.ts';
import type { Policy } from '../../policy/open-policy.ts';
import { studyCommand } from '../explain-command.ts';
import { canonicalEvent } from '../hooks.ts';
import { bounded } from './bounded.ts';
import { draftFrom, openDraft } from './drafts.ts';
import { linkOf } from './run-view.ts';

export async function tryEvent(policy: Policy, body: unknown): Promise<Tried> {
  const { event: written, payload = null } = (body ?? {}) as { event?: unknown; payload?: Json };
  if (typeof written !== 'string') throw new PageError(400, 'want an event');
  const event = canonicalEvent(written);
  const draft = draftFrom(body);
  const { policy: opened, close } = await openDraft(policy, draft);
  try {
    const outcome = await opened
      .engine({ run: opened.newRun(), canAsk: true })
      .decide(event as never, payload as never);
    const description = describeOutcome(outcome);
    const command = isJsonObject(payload) && isJsonObject(payload.args) ? payload.args.command : undefined;
    return {
      event,
      action: outcome.action,
      word: description.word,
      reason: outcome.reason,
      hook: outcome.hook,
      place: placeIn(opened, outcome) ?? description.place,
      chain: outcome.trace.map((entry) => linkOf(entry, null, outcome.hook)),
      changes: rewritten(event, payload, outcome.payload as Json).map(({ path, before, after }) => ({
        path,
        ...(before !== undefined && { before: bounded(before) }),
        ...(after !== undefined && { after: bounded(after) }),
      })),
      effects: outcome.effects.map((effect) => `${effect.kind} of ${effect.hook}: ${effectText(effect)}`),
      warnings: checkPayload(event, payload),
      problems: problemsIn(opened, draft?.source ?? null),
      command: typeof command === 'string' ? await commandView(command, opened) : null,
    };
  } finally {
    close();
  }
}

/** The line that said it: the policy is fresh, so what has run has run for this. */
function placeIn({ registry }: Policy, { event, action, hook, decidedBy }: Outcome): string | null {
  const found = registry
    .list(event)
    .find(({ name, source }) => name === hook && source === decidedBy?.source);
  const lines = found?.covered?.lines();
  const site = found?.covered?.decisions.findLast(
    (each) => each.action === action && (lines?.get(each.line) ?? 0) > 0,
  );
  return site === undefined ? null : `${found!.source}:${site.line}`;
}

function problemsIn({ problems }: Policy, source: string | null): Tried['problems'] {
  return problems
    .filter(({ position }) => source === null || position?.file === source)
    .slice(0, 100)
    .map(({ severity, code, message, position }) => ({
      severity,
      code,
      message,
      line: position?.line ?? null,
      col: position?.col ?? null,
    }));
}

async function commandView(text: string, policy: Policy): Promise<Tried['command']> {
  const { reading, held } = await studyCommand(text, undefined, policy);
  return {
    complete: reading.complete,
    errors: reading.errors.map(({ message }) => message),
    commands: reading.commands.slice(0, 50).map(({ program, args, reads, writes, deletes }) => ({
      text: [program, ...args].join(' '),
      reads,
      writes,
      deletes,
    })),
    held: held.map(({ rule, action, reason }) => ({ rule, action, reason })),
  };
}
