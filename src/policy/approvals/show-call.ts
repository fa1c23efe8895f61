/**
 * A call as a person is shown it before they answer: all of it, with every hidden character escaped and named. What is too
 * long to be read at a glance is cut in the middle, and then the call counts as seen only once the whole of it was shown.
 */
import { hiddenIn, type Json, type JsonObject, visible } from '../../base/index.ts';
import { asCommand, commandReadings } from '../../engine/index.ts';
import { effectsIn, sentencesFor } from '../../shell/index.ts';
import { callDigest } from './desk.ts';

export interface ShownCall {
  /** The tool, what its commands do, then a line or more for each argument. Nothing in them is hidden. */
  readonly brief: readonly string[];
  /** The same with nothing left out. */
  readonly whole: readonly string[];
  /** What its commands do, in sentences; empty if nothing is known of it. */
  readonly does: readonly string[];
  /** Whether `brief` is all of it. If not, `whole` has to be shown before a yes counts. */
  readonly complete: boolean;
  /** What a reader would not see by themselves. */
  readonly warnings: readonly string[];
  /** Of exactly this call. */
  readonly digest: string;
}

export interface ShowOptions {
  /** So many lines of an argument are shown at once. */
  readonly lines?: number;
  /** So many characters of a line, and of an argument, are shown at once. */
  readonly characters?: number;
}

const ROOM = { lines: 24, characters: 1200 } as const;
const MARGIN = '  ';
/** A row of blanks that a terminal would wrap: what stands behind it is easily missed. */
const WIDE_GAP = /[^\S\n]{16,}(?=\S)/;
const NEWLINES = /\n{3,}/;

export function showCall(name: string, args: JsonObject, options: ShowOptions = {}): ShownCall {
  const room = { ...ROOM, ...options };
  const texts = Object.entries(args).map(([key, value]) => argumentText(key, value));
  const whole = texts.flatMap(laidOut);
  const brief = texts.flatMap((text) => laidOut(shortened(text, room)));
  const does = sentencesOf(name, args);
  const head = [
    visible(JSON.stringify(name)).slice(1, -1),
    // Without the margin that every argument has, so that none passes for it.
    ...(does.length === 0 ? [] : [`What it does: ${does.join(' ')}`]),
  ];
  return {
    does,
    brief: [...head, ...brief],
    whole: [...head, ...whole],
    complete: brief.length === whole.length && brief.every((line, i) => line === whole[i]),
    warnings: warningsFor([name, ...strings(args)]),
    digest: callDigest(name, args),
  };
}

function sentencesOf(name: string, args: JsonObject): readonly string[] {
  const readings = commandReadings(asCommand(name, args), { home: HOME });
  return sentencesFor(readings.flatMap(({ reading }) => effectsIn(reading)));
}

/** Read as `~`, which is what a person calls it. */
const HOME = '/~';

/** Text as it is, with its lines; anything else as JSON. Keys are the model's words too. */
function argumentText(key: string, value: Json): string {
  const name = visible(JSON.stringify(key)).slice(1, -1);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `${name}: ${visible(text)}`;
}

/** Lines after the first are marked, so that none passes for another argument or a question of ours. */
function laidOut(text: string): string[] {
  const [first = '', ...rest] = text.split('\n');
  return [`${MARGIN}${first}`, ...rest.map((line) => `${MARGIN}| ${line}`)];
}

/** The beginning and the end, with what is left out between them. */
function shortened(text: string, { lines, characters }: Required<ShowOptions>): string {
  const all = text.split('\n');
  const few = all.length <= lines ? all : [...all.slice(0, lines / 2), ...all.slice(-lines / 2)];
  const cut = few.join('\n');
  const half = Math.floor(characters / 2);
  if (few === all && text.length <= characters) return text;
  if (cut.length <= characters) {
    const left = all.length - few.length;
    return [...all.slice(0, lines / 2), `[… ${left} lines left out …]`, ...all.slice(-lines / 2)].join('\n');
  }
  return `${text.slice(0, half)}\n[… ${text.length - 2 * half} characters left out …]\n${text.slice(-half)}`;
}

function warningsFor(texts: readonly string[]): string[] {
  const hidden = [...new Set(texts.flatMap(hiddenIn))];
  const gaps = texts.some((text) => WIDE_GAP.test(text));
  const lines = texts.some((text) => NEWLINES.test(text));
  return [
    ...(hidden.length === 0 ? [] : [`it holds characters that cannot be seen: ${hidden.join(', ')}`]),
    ...(gaps ? ['it holds a long row of blanks with more text behind it'] : []),
    ...(lines ? ['it holds empty lines with more text below them'] : []),
  ];
}

/** Every text in the arguments, keys included. Arguments are nested 512 levels at most. */
function strings(value: Json): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(strings);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [key, ...strings(inner)]);
}
