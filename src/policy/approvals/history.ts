/**
 * What was asked and what was answered, a line each, without the calls themselves: the ask budget. A rule that is approved nine
 * times in ten teaches its reader to say yes, and is proposed for change.
 */
import { appendFileSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, type Json, type JsonObject } from '../../base/index.ts';
import type { Ask } from '../../engine/index.ts';
import { askPlace, ruleName } from './question.ts';
import type { RuleCount } from './rule-count.ts';

export type HistoryLine =
  | {
      readonly time: number;
      readonly what: 'asked';
      readonly id: string;
      readonly tool: string;
      readonly folder: string;
      readonly host: string;
      readonly asks: readonly Ask[];
    }
  | {
      readonly time: number;
      readonly what: 'allowed' | 'denied' | 'withdrawn';
      readonly id: string;
      readonly by?: string;
    };

/** Then it begins anew; the one before is kept. */
const MOST_BYTES = 8 * 1024 * 1024;

function historyFile(folder: string): string {
  return join(folder, 'history.jsonl');
}

/** Only for counting: what cannot be written keeps nobody from asking or answering. */
export function appendHistory(folder: string, line: HistoryLine): void {
  const file = historyFile(folder);
  try {
    if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > MOST_BYTES) renameSync(file, `${file}.old`);
    appendFileSync(file, `${JSON.stringify(withoutReasons(line))}\n`, { mode: 0o600 });
  } catch {
    // The question itself lies in the queue.
  }
}

/** Reasons may quote the call. */
function withoutReasons(line: HistoryLine): JsonObject {
  if (line.what !== 'asked') return { ...line };
  const asks = line.asks.map((ask) => ({ rule: ruleName(ask), place: askPlace(ask) }));
  return { ...line, asks };
}

/** Fewer tell nothing. */
const ENOUGH = 10;
const SHARE = 0.9;

/** The rule that asks most comes first. */
export function askStats(folder: string, since = 0): readonly RuleCount[] {
  const lines = [`${historyFile(folder)}.old`, historyFile(folder)].flatMap(linesOf);
  const answers = new Map<string, string>();
  for (const { what, id } of lines)
    if ((what === 'allowed' || what === 'denied') && typeof id === 'string' && !answers.has(id))
      answers.set(id, what);
  const counts = new Map<string, Omit<RuleCount, 'unanswered' | 'proposed'>>();
  for (const { what, id, time, asks, folder: where } of lines) {
    if (what !== 'asked' || typeof time !== 'number' || time < since || !Array.isArray(asks)) continue;
    const answer = answers.get(String(id));
    for (const ask of asks.filter(isJsonObject)) {
      const [rule, place, at] = [String(ask.rule), String(ask.place), String(where)];
      const key = JSON.stringify([rule, place, at]);
      const before = counts.get(key) ?? {
        rule,
        place,
        folder: at,
        asked: 0,
        allowed: 0,
        denied: 0,
        lastAsked: 0,
      };
      counts.set(key, {
        ...before,
        asked: before.asked + 1,
        allowed: before.allowed + (answer === 'allowed' ? 1 : 0),
        denied: before.denied + (answer === 'denied' ? 1 : 0),
        lastAsked: Math.max(before.lastAsked, time),
      });
    }
  }
  return [...counts.values()]
    .map((count) => ({
      ...count,
      unanswered: count.asked - count.allowed - count.denied,
      proposed: count.asked >= ENOUGH && count.allowed / count.asked >= SHARE,
    }))
    .sort((a, b) => b.asked - a.asked);
}

function linesOf(file: string): JsonObject[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return [];
  }
  return text.split('\n').flatMap((line) => {
    try {
      const value = JSON.parse(line) as Json;
      return isJsonObject(value) ? [value] : [];
    } catch {
      return [];
    }
  });
}
