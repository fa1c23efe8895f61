/**
 * Dates and clock times as people write them, and the seconds since 1970 they stand for. The proleptic Gregorian
 * calendar, years 1 to 9999.
 */

export interface Civil {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  /** 0 for Sunday. */
  readonly weekday: number;
}

export const MIN_SECONDS = -62135596800;
export const MAX_SECONDS = 253402300799;
const DAY = 86400;

/** Days since 1970-01-01 of a date; months and days beyond their range carry over. */
function daysFromDate(year: number, month: number, day: number): number {
  const carried = year + Math.floor((month - 1) / 12);
  const monthOfYear = (((month - 1) % 12) + 12) % 12;
  // Counted from March, a leap day is the last day of its year.
  const fromMarch = (monthOfYear + 10) % 12;
  const marchYear = monthOfYear < 2 ? carried - 1 : carried;
  const leapDays = Math.floor(marchYear / 4) - Math.floor(marchYear / 100) + Math.floor(marchYear / 400);
  return marchYear * 365 + leapDays + Math.floor((fromMarch * 153 + 2) / 5) + day - 1 - 719468;
}

export function secondsFromCivil(
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
): number {
  return daysFromDate(year, month, day) * DAY + hour * 3600 + minute * 60 + second;
}

export function civilFromSeconds(seconds: number): Civil {
  const days = Math.floor(seconds / DAY);
  const rest = seconds - days * DAY;
  const shifted = days + 719468;
  const era = Math.floor(shifted / 146097);
  const dayOfEra = shifted - era * 146097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36524) - Math.floor(dayOfEra / 146096)) /
      365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const fromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * fromMarch + 2) / 5) + 1,
    hour: Math.floor(rest / 3600),
    minute: Math.floor((rest % 3600) / 60),
    second: rest % 60,
    weekday: (((days + 4) % 7) + 7) % 7,
  };
}
