/** A length of time as people write one: `90s`, `10m`, `1h30m`. */

const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

const WHOLE = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/;
const PART = /(\d+(?:\.\d+)?)(ms|s|m|h|d)/g;

/** The longest a timer can be told to wait; Node turns anything above into one millisecond. */
export const LONGEST_TIMER_MS = 0x7fff_ffff;

/** Longer than anything that runs: a thousand years. */
export const FOR_EVER_MS = 1000 * 365 * 24 * 3600 * 1000;

/** In milliseconds, above 0; null for what is no such time. */
export function readDuration(written: string): number | null {
  const text = written.trim();
  if (!WHOLE.test(text)) return null;
  let ms = 0;
  for (const [, number, unit] of text.matchAll(PART))
    ms += Number(number) * UNITS[unit as keyof typeof UNITS];
  return ms > 0 && ms <= FOR_EVER_MS ? ms : null;
}
