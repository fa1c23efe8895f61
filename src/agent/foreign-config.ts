/**
 * The settings of a session under the names Loom gives them, put under ours. There 0 is no limit, and a null is a setting that is
 * not made.
 */
import type { SessionConfig } from './session-config.ts';

/** What becomes of one setting. */
type SettingReader = (value: unknown) => SessionConfig;

const limit = (name: string): SettingReader => {
  return (value) => ({ limits: { [name]: value === 0 ? Number.POSITIVE_INFINITY : value } });
};

/** A table's worth of `value`, where every key of it is in the table; otherwise it is written in our names. */
function each(
  table: Readonly<Record<string, SettingReader>>,
  value: unknown,
): readonly SessionConfig[] | null {
  const given = Object.entries((value ?? {}) as object);
  if (!given.every(([key]) => Object.hasOwn(table, key))) return null;
  return given.map(([key, part]) => table[key]!(part));
}

const RETRY: Readonly<Record<string, SettingReader>> = {
  maxRetries: (count) => ({ retry: { maxAttempts: Number(count) + 1 } }),
  baseDelayMs: (baseMs) => ({ retry: { baseMs: baseMs as number } }),
  maxDelayMs: (maxWaitMs) => ({ retry: { maxWaitMs: maxWaitMs as number } }),
  // Which failures are worth another attempt is what the provider says.
  retryableStatusCodes: () => ({}),
};

const TOOLS: Readonly<Record<string, SettingReader>> = {
  defaultTimeoutMs: limit('toolMs'),
  maxConcurrency: limit('parallelTools'),
  maxResultSize: limit('toolResultChars'),
  spillDir: () => ({}),
};

const COMPACTION: Readonly<Record<string, SettingReader>> = {
  trigger: (trigger) => {
    const { type, threshold } = trigger as { readonly type?: string; readonly threshold?: number };
    return type === 'tokens' ? { compaction: { maxTokens: threshold! } } : {};
  },
  retain: () => ({}),
  strategy: () => ({}),
  summaryModel: () => ({}),
  safetyTimeoutMs: () => ({}),
  toolResultDrop: () => ({}),
  browserSnapshotCompaction: () => ({}),
};

/** Texts, one after the other, where it is made of blocks. */
function prompt(given: unknown): string {
  if (!Array.isArray(given)) return given as string;
  return given.map((block: { readonly text?: string }) => block.text ?? '').join('\n\n');
}

const SETTING_READERS: Readonly<Record<string, SettingReader>> = {
  systemPrompt: (given) => ({ system: prompt(given) }),
  maxTurns: limit('maxTurns'),
  maxTokens: (maxOutputTokens) => ({ maxOutputTokens: maxOutputTokens as number }),
  maxBudgetUsd: limit('maxCostUsd'),
  maxCostUsd: limit('maxCostUsd'),
  abortSignal: (signal) => ({ abortSignal: signal as AbortSignal }),
  workspacePath: (workspacePath) => ({ workspacePath: workspacePath as string }),
};

/** The names it knows, for hints. */
export const FOREIGN_NAMES: readonly string[] = Object.keys(SETTING_READERS);

/** Settings of one key; null if the key or its value is none of Loom's. */
export function foreignSetting(key: string, value: unknown): readonly SessionConfig[] | null {
  if (value === null && (Object.hasOwn(SETTING_READERS, key) || UNSET.has(key))) return [];
  if (key === 'retry') return each(RETRY, value);
  if (key === 'compaction') return each(COMPACTION, value);
  if (key === 'toolExecution') return each(TOOLS, value);
  return Object.hasOwn(SETTING_READERS, key) ? [SETTING_READERS[key]!(value)] : null;
}

/** What Loom's own defaults leave open. */
const UNSET: ReadonlySet<string> = new Set([
  'temperature',
  'checkpointStore',
  'fallbackModel',
  'agentId',
  'thinking',
]);
