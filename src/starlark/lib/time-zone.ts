/**
 * Time zones: how far a place is from UTC at a given moment. The rules come from the engine's own database.
 */

export interface Zone {
  readonly name: string;
  /** Seconds east of UTC, and what the zone is called then. */
  at(unixSeconds: number): { readonly offset: number; readonly abbreviation: string };
}

export const UTC: Zone = { name: 'UTC', at: () => ({ offset: 0, abbreviation: 'UTC' }) };

/** A zone that never changes, as `-05:00` in a timestamp means. */
export function fixedZone(offset: number): Zone {
  if (offset === 0) return UTC;
  const minutes = Math.abs(offset) / 60;
  const text = String(Math.floor(minutes / 60)).padStart(2, '0') + String(minutes % 60).padStart(2, '0');
  const abbreviation = (offset < 0 ? '-' : '+') + text;
  return { name: '', at: () => ({ offset, abbreviation }) };
}

const MAX_CACHED = 64;
const zones = new Map<string, Zone>();

/** The zone of a name such as `Europe/Berlin`, or undefined where there is none. */
export function findZone(name: string): Zone | undefined {
  // A host's own zone would make results differ between machines, so `Local` is UTC as well.
  if (name === '' || name === 'UTC' || name === 'Local') return UTC;
  const known = zones.get(name);
  if (known !== undefined) return known;
  if (!/^[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+)*$/.test(name) || name.length > 64) return undefined;
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
      timeZoneName: 'short',
    });
  } catch {
    return undefined;
  }
  if (zones.size >= MAX_CACHED) zones.clear();
  const zone: Zone = { name, at: (unixSeconds) => readZone(format, unixSeconds) };
  zones.set(name, zone);
  return zone;
}

/** The offset is the difference between what a clock there shows, read as if it were UTC, and the moment itself. */
function readZone(
  format: Intl.DateTimeFormat,
  unixSeconds: number,
): { offset: number; abbreviation: string } {
  const parts = new Map(format.formatToParts(unixSeconds * 1000).map((part) => [part.type, part.value]));
  const number = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.get(type));
  const shown = new Date(0);
  const year = parts.get('era') === 'BC' ? 1 - number('year') : number('year');
  shown.setUTCFullYear(year, number('month') - 1, number('day'));
  shown.setUTCHours(number('hour'), number('minute'), number('second'));
  return {
    offset: Math.round(shown.getTime() / 1000 - unixSeconds),
    abbreviation: parts.get('timeZoneName') ?? '',
  };
}
