/**
 * How a session shortens its conversation, and how those settings become complete.
 */
import { HarnessError } from '../../base/index.ts';
import { numbersOver } from '../loop/session-limits.ts';
import type { Message } from '../message.ts';
import { digest } from './history.ts';

export interface SummaryContext {
  /** Fires on abort, and when the time for one completion is up. */
  readonly signal: AbortSignal;
  /** Asks the session's own model, through `completion.pre` and `completion.post` like any request. */
  readonly ask: (system: string, messages: readonly Message[]) => Promise<string>;
}

/** The text that stands for the messages taken out. Where it throws or says nothing, the digest stands for them. */
export type Summarise = (removed: readonly Message[], context: SummaryContext) => Promise<string> | string;

export interface CompactionSettings {
  /** Tokens of the conversation from which it is shortened before the next request; never by default. */
  readonly maxTokens?: number;
  /** Round trips at the end that stay as they are; 4 by default. */
  readonly keepTurns?: number;
  /** A digest made without a model by default. */
  readonly summarise?: Summarise;
}

export type CompleteCompaction = Required<CompactionSettings>;

const DEFAULTS = { maxTokens: Number.POSITIVE_INFINITY, keepTurns: 4 };

export function completeCompaction(given: CompactionSettings = {}): CompleteCompaction {
  const { summarise = digest, ...numbers } = given;
  if (typeof summarise !== 'function') {
    throw new HarnessError('SESSION_CONFIG', 'config.compaction.summarise wants a function');
  }
  return { ...numbersOver(DEFAULTS, numbers, 'config.compaction'), summarise };
}

const INSTRUCTION =
  'Summarise the conversation for the assistant that will carry on with it and sees nothing else of it. Keep what was ' +
  'asked, what was decided and why, which files and names matter, what was tried and failed, and what is still to do.';

/** Lets the session's model write the summary. */
export function summaryByModel(instruction: string = INSTRUCTION): Summarise {
  return (removed, { ask }) =>
    // As one text: a model shown calls and results goes on with them instead of summing them up.
    ask(instruction, [{ role: 'user', content: `${INTRODUCTION}\n\n${transcriptOf(removed)}` }]);
}

const INTRODUCTION = 'The conversation to summarise:';

function transcriptOf(messages: readonly Message[]): string {
  return messages
    .map((message) => {
      if (message.role === 'tool') return `result of ${message.name}: ${message.content}`;
      if (message.role === 'user') return `user: ${message.content}`;
      const calls = message.tool_calls.map(({ name, args }) => `call of ${name}: ${JSON.stringify(args)}`);
      return [`assistant: ${message.content}`, ...calls].join('\n');
    })
    .join('\n\n');
}
