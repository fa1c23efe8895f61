/**
 * `--since`: a date, or how long ago.
 */
const SPANS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Milliseconds since the epoch; NaN for what is neither. */
export function timeOf(text: string): number {
  const [, count, unit] = /^(\d+)([mhdw])$/.exec(text) ?? [];
  return unit === undefined ? Date.parse(text) : Date.now() - Number(count) * SPANS[unit]!;
}
