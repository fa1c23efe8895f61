/**
 * Makes texts of templates: `{an:36}` becomes 36 letters and digits. Drawn from a seed that hangs on the template alone, so
 * that every run sees the same text, and no file of this folder holds anything that looks like a secret.
 */

const DIGITS = '0123456789';
const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();

const ALPHABETS: Readonly<Record<string, string>> = {
  an: UPPER + LOWER + DIGITS,
  AN: UPPER + DIGITS,
  low: LOWER + DIGITS,
  az: UPPER + LOWER,
  d: DIGITS,
  hex: `${DIGITS}abcdef`,
  HEX: `${DIGITS}ABCDEF`,
  b32: `${UPPER}234567`,
  b32low: `${LOWER}234567`,
  b64: `${UPPER + LOWER + DIGITS}+/`,
  url: `${UPPER + LOWER + DIGITS}_-`,
  bech: 'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L',
  // As people choose them, and as generators for Django and WordPress do.
  pw: `${UPPER + LOWER + DIGITS}!@#%^*_-+=?`,
  pwsh: `${UPPER + LOWER + DIGITS}.!@%^_+`,
  pwurl: `${UPPER + LOWER + DIGITS}.!_~-`,
  sym: `${LOWER + DIGITS}!@#$%^&*(-_=+)`,
};

const WORDS =
  'amber basin candle dragon ember falcon garnet harbor island jungle kitten ladder meadow nectar orchid pepper quartz river saddle timber umbrella velvet walnut yellow zephyr summer winter spring autumn'.split(
    ' ',
  );

type Draw = (count: number) => number;

const MADE: Readonly<Record<string, (draw: Draw, count: number) => string>> = {
  uuid: (draw) => uuid(draw),
  UUID: (draw) => uuid(draw).toUpperCase(),
  word: (draw) => WORDS[draw(WORDS.length)]!,
  words: (draw, count) => list(count, () => WORDS[draw(WORDS.length)]!).join(' '),
  jwt: (draw) => `eyJ${chars('url', draw, 33)}.eyJ${chars('url', draw, 80)}.${chars('url', draw, 43)}`,
  basic: (draw) => Buffer.from(`deploy:${chars('pwsh', draw, 18)}`).toString('base64'),
  pem: (draw, count) => list(count, () => chars('b64', draw, 64)).join('\n'),
  pemjson: (draw, count) => list(count, () => chars('b64', draw, 64)).join('\\n'),
  pemindent: (draw, count) => list(count, () => chars('b64', draw, 64)).join('\n    '),
  pemdiff: (draw, count) => list(count, () => `+${chars('b64', draw, 64)}`).join('\n'),
  hexlines: (draw, count) => list(count, () => chars('hex', draw, 32)).join('\n'),
  HEXCOLON: (draw, count) => list(count, () => chars('HEX', draw, 2)).join(':'),
};

function uuid(draw: Draw): string {
  const parts = [8, 4, 3, 3, 12].map((count) => chars('hex', draw, count));
  return `${parts[0]}-${parts[1]}-4${parts[2]}-a${parts[3]}-${parts[4]}`;
}

function chars(name: string, draw: Draw, count: number): string {
  return drawn(ALPHABETS[name]!, draw, count);
}

function drawn(alphabet: string, draw: Draw, count: number): string {
  return list(count, () => alphabet[draw(alphabet.length)]!).join('');
}

function list<T>(count: number, make: () => T): T[] {
  return Array.from({ length: count }, make);
}

const FILLER = /\{(?:\[([^\]]+)\]|([A-Za-z0-9]+))(?::(\d+))?\}/g;

/** `variant` gives another text of the same template. What is no filler stays. */
export function fill(template: string, variant = 0): string {
  const draw = drawFrom(hashOf(`${template}#${variant}`));
  return template.replace(FILLER, (whole, members: string | undefined, name: string, count = '1') => {
    if (members !== undefined) return drawn(expand(members), draw, Number(count));
    if (Object.hasOwn(MADE, name)) return MADE[name]!(draw, Number(count));
    return Object.hasOwn(ALPHABETS, name) ? chars(name, draw, Number(count)) : whole;
  });
}

export function hasFiller(template: string): boolean {
  return fill(template) !== template;
}

/** The characters of a class as regular expressions write it. */
function expand(members: string): string {
  return members.replace(/\\(.)|(.)-(.)/g, (_, escaped: string, low: string, high: string) => {
    if (escaped !== undefined) return escaped;
    let all = '';
    for (let code = low.charCodeAt(0); code <= high.charCodeAt(0); code++) all += String.fromCharCode(code);
    return all;
  });
}

/** FNV-1a. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** Mulberry32: small, and the same on every machine. */
function drawFrom(seed: number): Draw {
  let state = seed;
  return (count) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % count;
  };
}
