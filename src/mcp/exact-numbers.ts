/**
 * Numbers that JavaScript would round: ids of 64 bits, long decimals. A message that is read has them as the text they were written
 * as, so that guards judge what the server gets; a message that is written has them as numbers again, digit by digit.
 */
import type { Json } from '../base/index.ts';
import { machineHost } from '../machine/index.ts';

/** On a message: how often each such number stands in it. Spreading a message keeps it. */
export const EXACT = Symbol('exact numbers');

type Counts = ReadonlyMap<string, number>;

const CANDIDATE = /[\d.]{16}|\d[eE][-+]?\d/;
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|[{}[\]]/gs;
/** By depth: the id of a message, and the one a cancellation names. */
const IDS = [null, /"id"\s*:\s*$/, /"requestId"\s*:\s*$/];
const KEY_LOOKBACK = 24;

/** Null if every number of this JSON text is exact. Ids of messages stay numbers: they are compared, and never judged. */
export function withExactNumbers(text: string): { readonly text: string; readonly counts: Counts } | null {
  if (!CANDIDATE.test(text)) return null;
  const counts = new Map<string, number>();
  let depth = 0;
  const changed = text.replace(TOKEN, (token, at: number) => {
    if (token === '{' || token === '[') depth++;
    else if (token === '}' || token === ']') depth--;
    if (!/^[-\d]/.test(token) || isExact(token)) return token;
    if (IDS[depth]?.test(text.slice(Math.max(0, at - KEY_LOOKBACK), at)) === true) return token;
    counts.set(token, (counts.get(token) ?? 0) + 1);
    return JSON.stringify(token);
  });
  return counts.size === 0 ? null : { text: changed, counts };
}

/**
 * The text of a message, with its numbers as they came. Null if that cannot be said: a value was rewritten (`whole`), or the same
 * digits stand in it as a text too.
 */
export function writtenMessage(message: object, whole: boolean): string | null {
  const counts = (message as { readonly [EXACT]?: Counts })[EXACT];
  if (counts === undefined) return JSON.stringify(message);
  const mark = machineHost.uuid();
  const left = new Map<string, number>();
  const text = JSON.stringify(message, (_key, value: Json) => {
    if (typeof value !== 'string' || !counts.has(value)) return value;
    left.set(value, (left.get(value) ?? 0) + 1);
    return mark + value;
  });
  for (const [source, before] of counts) {
    const now = left.get(source) ?? 0;
    if (now > before || (whole && now !== before)) return null;
  }
  return text.replaceAll(new RegExp(`"${mark}([^"]+)"`, 'g'), '$1');
}

function isExact(source: string): boolean {
  const value = Number(source);
  return Number.isFinite(value) && decimal(source) === decimal(String(value));
}

/** One spelling for one value. */
function decimal(source: string): string {
  const [, sign = '', int = '', frac = '', exp = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/.exec(source) ?? [];
  const digits = (int + frac).replace(/^0+/, '');
  const bare = digits.replace(/0+$/, '');
  return bare === '' ? '0' : `${sign}${bare}e${Number(exp) - frac.length + digits.length - bare.length}`;
}
