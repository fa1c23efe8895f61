/**
 * The settings of a session, as a program or `harness.md` gives them, and made complete.
 */
import { didYouMean, HarnessError } from '../base/index.ts';
import {
  type CompactionSettings,
  type CompleteCompaction,
  completeCompaction,
} from './compaction/settings.ts';
import { FOREIGN_NAMES, foreignSetting } from './foreign-config.ts';
import {
  DEFAULT_LIMITS,
  DEFAULT_RETRY,
  numbersOver,
  type RetryPolicy,
  type SessionLimits,
} from './loop/session-limits.ts';

export interface SessionConfig {
  /** Passed to the provider as it is. */
  readonly model?: string;
  /** The system prompt. */
  readonly system?: string;
  /** Tokens one answer may have; absent: the provider's own limit. */
  readonly maxOutputTokens?: number;
  readonly limits?: Partial<SessionLimits>;
  readonly retry?: Partial<RetryPolicy>;
  readonly stop?: {
    /** How often `agent.stop` may send the model back within one prompt; 3 by default. */
    readonly maxContinuations?: number;
  };
  /** When and how the conversation is shortened; only on request by default. */
  readonly compaction?: CompactionSettings;
  /** Whether a prompt that uses up its turns is an error beside ending with `max_turns`; `stop` by default. */
  readonly onMaxTurns?: 'stop' | 'error';
  /**
   * Each prompt is a session of its own: `session.end` fires when its run ends. True by default. With false the session
   * is a conversation and ends with `close()`.
   */
  readonly oneShot?: boolean;
  /** Made by the host where it is absent. */
  readonly sessionId?: string;
  /** Told to hooks that expect it; the writer of the transcript sets it. */
  readonly transcriptPath?: string | null;
  /** Hosts that scripts may reach over HTTP, for sessions that make their own engine. */
  readonly allowedDomains?: readonly string[];
  /** Ends every run of the session, beside the signal a run is given. */
  readonly abortSignal?: AbortSignal;
  /** Where the session works, unless its options say. */
  readonly workspacePath?: string;
}

export interface CompleteConfig {
  readonly model: string;
  readonly system: string;
  readonly maxOutputTokens: number | null;
  readonly limits: SessionLimits;
  readonly retry: RetryPolicy;
  readonly maxContinuations: number;
  readonly onMaxTurns: 'stop' | 'error';
  readonly compaction: CompleteCompaction;
  readonly oneShot: boolean;
}

const KEYS: Readonly<Record<keyof SessionConfig, true>> = {
  model: true,
  system: true,
  maxOutputTokens: true,
  limits: true,
  retry: true,
  stop: true,
  onMaxTurns: true,
  compaction: true,
  oneShot: true,
  sessionId: true,
  transcriptPath: true,
  allowedDomains: true,
  abortSignal: true,
  workspacePath: true,
};

/**
 * The config with what other loops call our settings put under our names. A key that looks like a misspelt one of ours throws,
 * since a misspelt limit would be no limit; any other has no use here, and is named in `unused`.
 */
export function knownConfig(config: SessionConfig): {
  readonly config: SessionConfig;
  readonly unused: readonly string[];
} {
  const unused: string[] = [];
  let known: SessionConfig = {};
  for (const [key, value] of Object.entries(config)) {
    const foreign = foreignSetting(key, value);
    if (foreign !== null) {
      known = foreign.reduce((below, part) => over(part, below), known);
      continue;
    }
    if (Object.hasOwn(KEYS, key)) {
      known = over(known, { [key]: value });
      continue;
    }
    const names = [...Object.keys(KEYS), ...FOREIGN_NAMES, ...Object.keys(DEFAULT_LIMITS)];
    const hint = didYouMean(key, names);
    if (hint !== '') throw new HarnessError('SESSION_CONFIG', `config has no "${key}"${hint}`);
    unused.push(key);
  }
  return { config: known, unused };
}

/** What is said under our own name counts. */
function over(below: SessionConfig, above: SessionConfig): SessionConfig {
  const limits = { ...below.limits, ...above.limits };
  const retry = { ...below.retry, ...above.retry };
  return {
    ...below,
    ...above,
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(Object.keys(retry).length > 0 && { retry }),
  };
}

export function completeConfig(given: SessionConfig = {}): CompleteConfig {
  const { config } = knownConfig(given);
  const continuations = config.stop?.maxContinuations ?? 3;
  if (!Number.isInteger(continuations) || continuations < 0) {
    throw new HarnessError(
      'SESSION_CONFIG',
      `config.stop.maxContinuations wants a whole number from 0, got ${String(continuations)}`,
    );
  }
  return {
    model: config.model ?? 'scripted',
    system: config.system ?? '',
    maxOutputTokens: config.maxOutputTokens ?? null,
    limits: numbersOver(DEFAULT_LIMITS, config.limits, 'config.limits'),
    retry: numbersOver(DEFAULT_RETRY, config.retry, 'config.retry'),
    maxContinuations: continuations,
    onMaxTurns: config.onMaxTurns ?? 'stop',
    compaction: completeCompaction(config.compaction),
    oneShot: config.oneShot ?? true,
  };
}
