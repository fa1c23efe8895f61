/**
 * Where commands write: the one door to a terminal. What comes from a payload, a file, a hook or a model reaches it with every
 * hidden character escaped; only the styles put on here go through. Writes are synchronous, so that nothing is lost when the
 * process ends, and a reader that went away (`| head`) is not an error. Colour appears on a terminal only.
 */
import { fstatSync, writeSync } from 'node:fs';
import { visible } from '../base/index.ts';

const STYLES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

export type Style = keyof typeof STYLES;

export interface Output {
  /** Writes a line to stdout. */
  line(text?: string): void;
  /** Writes data to stdout: as it is to a file or a pipe, escaped to a terminal. */
  raw(text: string): void;
  /** Writes a line to stderr. */
  note(text: string): void;
  /** The text in a style, where stdout shows styles. */
  paint(style: Style, text: string): string;
  /** The same for stderr. */
  paintNote(style: Style, text: string): string;
  /** True once the reader of stdout has gone. */
  readonly closed: boolean;
}

export function openOutput(env: NodeJS.ProcessEnv): Output {
  const out = new Channel(1, env);
  const err = new Channel(2, env);
  return {
    line: (text = '') => out.write(`${text}\n`),
    raw: (text) => (out.terminal ? out.write(text) : out.send(text)),
    note: (text) => err.write(`${text}\n`),
    paint: (style, text) => out.paint(style, text),
    paintNote: (style, text) => err.paint(style, text),
    get closed() {
      return out.closed;
    },
  };
}

/** Stands for the escape character of our own styles until text is written: made anew, so that no file can hold it. */
const styleMark = `\u0000${Math.random().toString(36).slice(2)}\u0000`;

/** Moves of the cursor and modes of a terminal: the number of steps goes before the letter. */
const MOVES = {
  up: 'A',
  column: 'G',
  home: 'H',
  clear: '2J',
  clearBelow: 'J',
  pasteMarksOn: '?2004h',
  pasteMarksOff: '?2004l',
} as const;

/** For `revealed`: what moves the cursor, between texts of whomever. */
export function cursorMove(kind: keyof typeof MOVES, steps?: number): string {
  return steps === 0 ? '' : `${styleMark}${steps ?? ''}${MOVES[kind]}`;
}

/** Text as a terminal is given it: what is hidden in it is escaped, and our own styles and moves go through. */
export function revealed(text: string): string {
  return text.split(styleMark).map(visible).join('\u001b[');
}

/** A character that no text has once what is hidden in it is escaped. */
const NO_WIDTH = '\u2060';

/** Does something to the lines of a text that must not touch our styles: each of them is one character without a width. */
export function mapUnstyled(text: string, change: (text: string) => string): string {
  const [first = '', ...rest] = text.split(styleMark);
  const codes = rest.map((part) => /^\d*m/.exec(part)?.[0] ?? '');
  const plain = rest.map((part, i) => NO_WIDTH + visible(part.slice(codes[i]!.length)));
  let place = 0;
  return change(visible(first) + plain.join('')).replaceAll(NO_WIDTH, () => styleMark + codes[place++]);
}

/** The text without our styles. */
export function unstyled(text: string): string {
  return text
    .split(styleMark)
    .map((part, i) => (i === 0 ? part : part.replace(/^\d*m/, '')))
    .join('');
}

class Channel {
  closed = false;
  private readonly descriptor: number;
  private readonly env: NodeJS.ProcessEnv;
  /** Found out at the first styled text: commands that print data never ask. */
  private styled: boolean | undefined;

  constructor(descriptor: number, env: NodeJS.ProcessEnv) {
    this.descriptor = descriptor;
    this.env = env;
  }

  paint(style: Style, text: string): string {
    const [on, off] = STYLES[style];
    this.styled ??= wantsColour(this.descriptor, this.env);
    return this.styled ? `${styleMark}${on}m${text}${styleMark}${off}m` : text;
  }

  get terminal(): boolean {
    return isTerminal(this.descriptor);
  }

  write(text: string): void {
    this.send(revealed(text));
  }

  send(text: string): void {
    const bytes = Buffer.from(text);
    for (let sent = 0; sent < bytes.length && !this.closed; ) {
      try {
        sent += writeSync(this.descriptor, bytes, sent);
      } catch (error) {
        const code = (error as NodeJS.ErrnoException).code;
        if (code === 'EAGAIN') pause();
        else if (code === 'EPIPE' || code === 'EBADF' || code === 'EOF') this.closed = true;
        else throw error;
      }
    }
  }
}

/** FORCE_COLOR beats NO_COLOR beats the terminal, as their conventions say. */
function wantsColour(descriptor: number, env: NodeJS.ProcessEnv): boolean {
  const force = env.FORCE_COLOR;
  if (force !== undefined && force !== '') return force !== '0' && force !== 'false';
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return false;
  return env.TERM !== 'dumb' && isTerminal(descriptor);
}

/** A character device: nobody reads the colours of the others. `node:tty` would cost more than all else at start. */
function isTerminal(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isCharacterDevice();
  } catch {
    return false;
  }
}

/** The other end of a non-blocking pipe is behind: wait a moment without spinning. */
function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
}
