/**
 * Layouts that show how the moment 2006-01-02 15:04:05 -0700 MST would be written, for writing and reading times.
 */
import type { Civil } from './civil.ts';

export const RFC3339 = '2006-01-02T15:04:05Z07:00';

/** A moment taken apart, in the zone it is to be written in. */
export interface Moment extends Civil {
  readonly nanosecond: number;
  readonly offset: number;
  readonly abbreviation: string;
}

/** What reading a text found; a part that the layout lacks is undefined. */
export interface Parsed {
  year?: number;
  month?: number;
  day?: number;
  hour?: number;
  minute?: number;
  second?: number;
  nanosecond?: number;
  offset?: number;
  afternoon?: boolean;
}

interface Token {
  readonly write: (moment: Moment) => string;
  /** What it looks like in a text. */
  readonly shape: RegExp;
  /** Takes note of what it says there; false where that is impossible. */
  readonly read: (text: string, into: Parsed) => boolean;
}

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

type NumberPart = 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second';

function number(part: NumberPart, width: number, shape: RegExp, pad = '0'): Token {
  return {
    write: (moment) => String(moment[part]).padStart(width, pad),
    shape,
    read: (text, into) => {
      into[part] = Number(text);
      return true;
    },
  };
}

const TWO = /\d{2}/y;
const ONE_OR_TWO = /\d{1,2}/y;

/** Go on reading seconds into their fraction even where the layout has none. */
function seconds(width: number, shape: RegExp): Token {
  return {
    write: (moment) => String(moment.second).padStart(width, '0'),
    shape,
    read: (text, into) => {
      const [whole, fraction] = text.split(/[.,]/);
      into.second = Number(whole);
      if (fraction !== undefined) into.nanosecond = readFraction(fraction);
      return true;
    },
  };
}

function readFraction(digits: string): number {
  return Number(digits.slice(0, 9).padEnd(9, '0'));
}

/** A name out of a list, whole or cut to its first three letters. */
function name(
  list: readonly string[],
  cut: boolean,
  index: (moment: Moment) => number,
  part: 'month' | null,
): Token {
  const names = list.map((each) => (cut ? each.slice(0, 3) : each));
  return {
    write: (moment) => names[index(moment)]!,
    shape: cut ? /[A-Za-z]{3}/y : /[A-Za-z]{3,9}/y,
    read: (text, into) => {
      const found = names.findIndex((each) => each.toLowerCase() === text.toLowerCase());
      if (found === -1) return false;
      if (part !== null) into[part] = found + 1;
      return true;
    },
  };
}

const twelve = (hour: number): number => ((hour + 11) % 12) + 1;

function hour12(width: number, shape: RegExp): Token {
  return {
    write: (moment) => String(twelve(moment.hour)).padStart(width, '0'),
    shape,
    read: (text, into) => {
      into.hour = Number(text) % 12;
      return Number(text) <= 12;
    },
  };
}

function halfDay(am: string, pm: string, shape: RegExp): Token {
  return {
    write: (moment) => (moment.hour < 12 ? am : pm),
    shape,
    read: (text, into) => {
      into.afternoon = text === pm;
      return true;
    },
  };
}

interface OffsetStyle {
  readonly colon: string;
  readonly minutes: boolean;
  /** Whether UTC itself is written `Z`. */
  readonly zulu: boolean;
}

function offset({ colon, minutes, zulu }: OffsetStyle, shape: RegExp): Token {
  return {
    write: (moment) => {
      if (zulu && moment.offset === 0) return 'Z';
      const size = Math.floor(Math.abs(moment.offset) / 60);
      const hours = String(Math.floor(size / 60)).padStart(2, '0');
      return `${moment.offset < 0 ? '-' : '+'}${hours}${minutes ? colon + String(size % 60).padStart(2, '0') : ''}`;
    },
    shape,
    read: (text, into) => {
      const digits = text.replace(/\D/g, '').padEnd(4, '0');
      const [hours, rest] = [Number(digits.slice(0, 2)), Number(digits.slice(2))];
      into.offset = (text.startsWith('-') ? -1 : 1) * (hours * 3600 + rest * 60);
      return hours <= 24 && rest < 60;
    },
  };
}

const TOKENS: ReadonlyMap<string, Token> = new Map<string, Token>([
  ['January', name(MONTHS, false, (moment) => moment.month - 1, 'month')],
  ['Jan', name(MONTHS, true, (moment) => moment.month - 1, 'month')],
  ['Monday', name(DAYS, false, (moment) => moment.weekday, null)],
  ['Mon', name(DAYS, true, (moment) => moment.weekday, null)],
  ['2006', number('year', 4, /\d{4}/y)],
  [
    '06',
    {
      write: (moment) => String(moment.year % 100).padStart(2, '0'),
      shape: TWO,
      read: (text, into) => {
        into.year = Number(text) + (Number(text) >= 69 ? 1900 : 2000);
        return true;
      },
    },
  ],
  ['01', number('month', 2, TWO)],
  ['1', number('month', 1, ONE_OR_TWO)],
  ['02', number('day', 2, TWO)],
  ['_2', number('day', 2, / ?\d{1,2}/y, ' ')],
  ['2', number('day', 1, ONE_OR_TWO)],
  ['15', number('hour', 2, TWO)],
  ['03', hour12(2, TWO)],
  ['3', hour12(1, ONE_OR_TWO)],
  ['04', number('minute', 2, TWO)],
  ['4', number('minute', 1, ONE_OR_TWO)],
  ['05', seconds(2, /\d{2}(?:[.,]\d+)?/y)],
  ['5', seconds(1, /\d{1,2}(?:[.,]\d+)?/y)],
  ['PM', halfDay('AM', 'PM', /AM|PM/y)],
  ['pm', halfDay('am', 'pm', /am|pm/y)],
  ['Z07:00', offset({ colon: ':', minutes: true, zulu: true }, /Z|[-+]\d{2}:\d{2}/y)],
  ['Z0700', offset({ colon: '', minutes: true, zulu: true }, /Z|[-+]\d{4}/y)],
  ['-07:00', offset({ colon: ':', minutes: true, zulu: false }, /[-+]\d{2}:\d{2}/y)],
  ['-0700', offset({ colon: '', minutes: true, zulu: false }, /[-+]\d{4}/y)],
  ['-07', offset({ colon: '', minutes: false, zulu: false }, /[-+]\d{2}/y)],
  ['MST', { write: (moment) => moment.abbreviation, shape: /[A-Z]{3,5}|[-+]\d{2,4}/y, read: () => true }],
]);

/** A fraction: as many digits as zeros, or as nines at most, with zeros at the end dropped. */
function fraction(text: string): Token {
  const digits = text.length - 1;
  return {
    write: ({ nanosecond }) => {
      const all = String(nanosecond).padStart(9, '0').slice(0, digits).padEnd(digits, '0');
      const kept = text[1] === '9' ? all.replace(/0+$/, '') : all;
      return kept === '' ? '' : text[0]! + kept;
    },
    // The seconds before it have read the fraction already.
    shape: /(?:[.,]\d+)?/y,
    read: (found, into) => {
      if (found !== '') into.nanosecond = readFraction(found.slice(1));
      return true;
    },
  };
}

/** Everything in a layout that is not literal text, the longer before what it begins with. */
const SPLIT =
  /January|Jan|Monday|Mon|MST|2006|Z07:00|Z0700|-07:00|-0700|-07|0[1-6]|15|PM|pm|_2(?!006)|[.,](?:0+|9+)(?!\d)|[1-5]/g;

type Part = string | Token;

function parseLayout(layout: string): Part[] {
  const parts: Part[] = [];
  let last = 0;
  for (const match of layout.matchAll(SPLIT)) {
    if (match.index > last) parts.push(layout.slice(last, match.index));
    parts.push(TOKENS.get(match[0]) ?? fraction(match[0]));
    last = match.index + match[0].length;
  }
  parts.push(layout.slice(last));
  return parts;
}

export function writeTime(moment: Moment, layout: string): string {
  return parseLayout(layout)
    .map((part) => (typeof part === 'string' ? part : part.write(moment)))
    .join('');
}

/** What the text says, or the offset at which it parts from the layout. No part is ever tried twice. */
export function readTime(text: string, layout: string): Parsed | number {
  const parsed: Parsed = {};
  let at = 0;
  for (const part of parseLayout(layout)) {
    if (typeof part === 'string') {
      if (!text.startsWith(part, at)) return at;
      at += part.length;
      continue;
    }
    part.shape.lastIndex = at;
    const found = part.shape.exec(text);
    if (found === null || !part.read(found[0], parsed)) return at;
    at += found[0].length;
  }
  if (at < text.length) return at;
  if (parsed.afternoon !== undefined) parsed.hour = ((parsed.hour ?? 0) % 12) + (parsed.afternoon ? 12 : 0);
  return parsed;
}
