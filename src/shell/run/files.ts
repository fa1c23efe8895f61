/**
 * Files that the text itself writes, so that running one of them is running its text. Every text a file may have had is
 * kept; who else wrote to a path is found from the commands.
 */
import { MOST_ALTERNATIVES, MOST_VALUE } from '../bounds.ts';
import type { ShellCommand } from '../command.ts';
import { type Alt, type Ranges, UNTAINTED } from '../known/values.ts';
import type { Printed } from './run.ts';

export interface Written {
  readonly alts: readonly Alt[];
  readonly from: Ranges;
  /** How many commands had been named when it was last written. */
  readonly at: number;
}

const SOMETHING: Alt = { text: '', known: false };
const MOST_RANGES = 8;

export class WrittenFiles {
  private readonly texts = new Map<string, Written>();
  /** By the last part of the path, since the same file has many paths. */
  private readonly names = new Map<string, string>();
  private readonly writers = new Map<string, Ranges>();
  private indexed = 0;
  private processes = 0;
  /** Something was written to a path nobody knows. */
  anywhere = false;

  /** `at`: how many commands there are. */
  write(path: string, { text, sure }: Printed, append: boolean, from: Ranges, at: number): void {
    const before = this.texts.get(path);
    const added: Alt = text === null ? SOMETHING : { text, known: sure };
    let alts: Alt[];
    if (append) {
      // What the file held before this text is only known if this text wrote it.
      const bases = before?.alts ?? [SOMETHING];
      alts = bases.map((base) => ({ text: base.text + added.text, known: base.known && added.known }));
    } else alts = [...(before?.alts ?? []), added];
    if (alts.length > MOST_ALTERNATIVES || alts.some((alt) => alt.text.length > MOST_VALUE)) {
      alts = [SOMETHING];
    }
    this.texts.set(path, { alts, at, from: [...(before?.from ?? []), ...from].slice(-MOST_RANGES) });
    this.names.set(nameOf(path), path);
  }

  /** A path for what `<(…)` prints. */
  process(printed: Printed, from: Ranges): string {
    const path = `/dev/fd/${1000 + this.processes++}`;
    this.write(path, printed, false, from, 0);
    return path;
  }

  /** What the file may hold; undefined if this text does not write it. */
  read(path: string, commands: readonly ShellCommand[]): Written | undefined {
    const written = this.texts.get(path);
    if (written !== undefined) return written;
    // The same name in another folder may be the same file: folders have more than one path.
    const other = this.texts.get(this.names.get(nameOf(path)) ?? '');
    if (other !== undefined) return { ...other, alts: other.alts.map((alt) => ({ ...alt, known: false })) };
    this.index(commands);
    const from = this.writers.get(nameOf(path));
    if (from !== undefined) return { alts: [SOMETHING], at: 0, from };
    return this.anywhere ? { alts: [SOMETHING], at: 0, from: UNTAINTED } : undefined;
  }

  /** Whether this text writes a file of this name. */
  has(name: string): boolean {
    return this.names.has(name);
  }

  /** Whether this text writes any file. */
  any(commands: readonly ShellCommand[]): boolean {
    this.index(commands);
    return this.anywhere || this.texts.size > 0 || this.writers.size > 0;
  }

  private index(commands: readonly ShellCommand[]): void {
    for (; this.indexed < commands.length; this.indexed++) {
      const at = this.indexed;
      for (const path of commands[at]!.writes) {
        if (path === '/dev/null') continue;
        const name = nameOf(path);
        const before = this.writers.get(name) ?? [];
        this.writers.set(name, [...before, [at, at + 1] as const].slice(-MOST_RANGES));
      }
    }
  }
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
