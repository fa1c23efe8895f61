/**
 * One pass of compaction: `compact.pre`, which may skip it, a summary in place of the older messages, `compact.post`. A
 * pass always ends with a conversation the model can be sent, whatever the summary came to.
 */

import { describeThrown, withTimeout } from '../../engine/index.ts';
import { complete } from '../loop/completion.ts';
import { failOn, fire, sessionFields, throwIfEnded, vetoOf } from '../loop/fire.ts';
import type { Scope, SessionState } from '../loop/state.ts';
import type { Message } from '../message.ts';
import type { Completion } from '../provider.ts';
import { cutBefore, digest, estimateTokens, tokensIn } from './history.ts';

export interface CompactionResult {
  readonly compacted: boolean;
  /** Why it was not. */
  readonly reason: string | null;
  /** Messages before and after. */
  readonly before: number;
  readonly after: number;
  readonly summary: string | null;
}

type Spent = (completion: Completion) => void;

/** Before a request: a pass where the conversation has become longer than the settings allow. */
export async function compactIfDue(scope: Scope, spent: Spent): Promise<void> {
  const { state } = scope;
  if (tokensOf(state) >= state.config.compaction.maxTokens) await compact(scope, 'auto', spent);
}

export async function compact(
  scope: Scope,
  trigger: 'auto' | 'manual',
  spent: Spent,
): Promise<CompactionResult> {
  const { state } = scope;
  const { messages } = state;
  const { keepTurns, maxTokens } = state.config.compaction;
  const before = messages.length;
  const unchanged = (reason: string): CompactionResult => ({
    compacted: false,
    reason,
    before,
    after: before,
    summary: null,
  });
  // Half, so that the next round trip does not call for the next pass.
  const cut = cutBefore(messages, keepTurns, maxTokens / 2);
  const removed = messages.slice(0, cut);
  const prompt = promptIn(removed, messages);
  // One message in the place of one would be no gain.
  if (cut - prompt.length < 2) return unchanged('there is nothing to shorten');
  const tokens = tokensOf(state);
  const asked = await fire(scope, 'compact.pre', {
    trigger,
    message_count: before,
    tokens,
    ...sessionFields(state),
  });
  throwIfEnded(scope);
  failOn(asked);
  const veto = vetoOf(asked);
  if (veto !== null) return unchanged(`compaction ${veto}`);
  const summary = await summaryOf(scope, removed, spent);
  messages.splice(0, cut, summaryMessage(summary, cut), ...prompt);
  state.measured = null;
  const after = messages.length;
  const tokensAfter = tokensOf(state);
  // First the old reminders go, then hooks may leave new ones.
  state.reminders.compacted(state.turns, tokens, tokensAfter);
  const told = await fire(scope, 'compact.post', {
    trigger,
    message_count_before: before,
    message_count_after: after,
    tokens_before: tokens,
    tokens_after: tokensAfter,
    summary,
    ...sessionFields(state),
  });
  throwIfEnded(scope);
  failOn(told);
  return { compacted: true, reason: null, before, after, summary };
}

/** What the provider reported last, and an estimate of what came since; an estimate of all where it reports nothing. */
function tokensOf({ messages, measured, config }: SessionState): number {
  const estimated = tokensIn(config.system.length) + estimateTokens(messages);
  if (measured === null) return estimated;
  return Math.max(estimated, measured.tokens + estimateTokens(messages.slice(measured.messages)));
}

/** The prompt under way, where it would go with the rest: the model must still read it word for word. */
function promptIn(removed: readonly Message[], all: readonly Message[]): readonly Message[] {
  const last = all.findLast(({ role }) => role === 'user');
  return last !== undefined && removed.includes(last) ? [last] : [];
}

async function summaryOf(scope: Scope, removed: readonly Message[], spent: Spent): Promise<string> {
  const { config, engine, served } = scope.state;
  const settled = await withTimeout(scope.signal, config.limits.completionMs, (signal) =>
    config.compaction.summarise(removed, {
      signal,
      ask: async (system, messages) => {
        const request = { model: served.model, system, messages, tools: [] };
        return (await complete({ ...scope, signal }, spent, { request, purpose: 'compaction' })).text;
      },
    }),
  );
  throwIfEnded(scope);
  if (settled.kind === 'value' && typeof settled.value === 'string' && settled.value.trim() !== '') {
    return settled.value.trim();
  }
  const why =
    settled.kind === 'value'
      ? 'it is empty'
      : settled.kind === 'thrown'
        ? describeThrown(settled.thrown)
        : settled.failure.message;
  const message = `no summary of the conversation (${why}): a digest stands in its place`;
  engine.run.logs.push({ hook: '', event: 'compact.pre', level: 'warn', message });
  return digest(removed);
}

/** What stands in the place of `count` messages. */
export function summaryMessage(summary: string, count: number): Message {
  const content = `The conversation so far was shortened: this summary stands for ${count} messages.\n\n${summary}`;
  return { role: 'user', content };
}
