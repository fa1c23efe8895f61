/** Numbers as people read them: how long, how long ago, how many, how much. */

const UNITS: readonly (readonly [ms: number, unit: string])[] = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1000, 's'],
];

/** `1 h 20 min`, `45 s`: at most two units. */
export function span(ms: number | null): string {
  if (ms === null) return '';
  const at = UNITS.findIndex(([size]) => ms >= size);
  if (at === -1) return `${Math.round(ms)} ms`;
  const [size, unit] = UNITS[at]!;
  const whole = Math.floor(ms / size);
  const next = UNITS[at + 1];
  const rest = next === undefined ? 0 : Math.floor((ms - whole * size) / next[0]);
  return rest === 0 || whole > 9 ? `${whole} ${unit}` : `${whole} ${unit} ${rest} ${next![1]}`;
}

export function ago(at: number | null, now = Date.now()): string {
  if (at === null) return '';
  const unit = UNITS.find(([size]) => now - at >= size);
  return unit === undefined || now - at < 10_000
    ? 'now'
    : `${Math.floor((now - at) / unit[0])} ${unit[1]} ago`;
}

/** `950`, `12.4k`, `3.1M`. */
export function short(count: number): string {
  if (count < 1000) return String(count);
  const [size, unit] = count < 999_500 ? [1000, 'k'] : [1_000_000, 'M'];
  const value = count / (size as number);
  return `${value < 100 ? value.toFixed(1).replace(/\.0$/, '') : Math.round(value)}${unit}`;
}

export function dollars(cost: number | null): string {
  if (cost === null || cost <= 0) return '';
  return cost < 0.01 ? '< $0.01' : `$${cost.toFixed(2)}`;
}

/** Tokens of a run, both ways together. */
export function tokens(of: { readonly sent: number; readonly received: number } | null): string {
  return of === null ? '' : `${short(of.sent + of.received)} tok`;
}

/** `Fri` */
export function weekday(day: string): string {
  return new Date(`${day}T12:00:00`).toLocaleDateString('en', { weekday: 'short' });
}

const DAY_FORMAT = new Intl.DateTimeFormat('en', { weekday: 'long', month: 'short', day: 'numeric' });

/** A day of the reader's calendar, as `2026-01-31`: `Today`, `Yesterday`, `Friday, Jan 30`. */
export function dayName(day: string, today: string): string {
  const [one, two] = [Date.parse(`${day}T12:00:00`), Date.parse(`${today}T12:00:00`)];
  if (Number.isNaN(one)) return 'without a date';
  const apart = Math.round((two - one) / 86_400_000);
  return apart === 0 ? 'Today' : apart === 1 ? 'Yesterday' : DAY_FORMAT.format(one);
}
