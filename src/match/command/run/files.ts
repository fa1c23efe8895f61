/**
 * Files that the text itself writes, so that running one of them is running its text. Every text a file may have had is
 * kept; who else wrote to a path is found from the commands.
 */
import { MOST_ALTERNATIVES, MOST_VALUE } from '../bounds.ts';
import type { ShellCommand } from '../command.ts';
import { type Alt, NOBODY, type Ranges } from '../known/values.ts';

export interface Written {
  readonly alts: readonly Alt[];
  readonly from: Ranges;
}

const SOMETHING: Alt = { text: '', known: false };

export class WrittenFiles {
  private readonly texts = new Map<string, Written>();
  private readonly writers = new Map<string, Ranges>();
  private indexed = 0;
  private processes = 0;
  /** Something was written to a path nobody knows. */
  anywhere = false;

  /** `text` null: written, but nobody knows what. */
  write(path: string, text: string | null, append: boolean, from: Ranges): void {
    const before = this.texts.get(path)?.alts ?? [];
    const added: Alt = text === null ? SOMETHING : { text, known: true };
    let alts: Alt[];
    if (append) {
      // What the file held before this text is only known if this text wrote it.
      const bases = before.length === 0 ? [SOMETHING] : before;
      alts = bases.map((base) => ({ text: base.text + added.text, known: base.known && added.known }));
    } else alts = [...before, added];
    if (alts.length > MOST_ALTERNATIVES || alts.some((alt) => alt.text.length > MOST_VALUE)) {
      alts = [SOMETHING];
    }
    this.texts.set(path, { alts, from: [...(this.texts.get(path)?.from ?? []), ...from].slice(-8) });
  }

  /** A path for what `<(…)` prints. */
  process(text: string | null, from: Ranges): string {
    const path = `/dev/fd/${1000 + this.processes++}`;
    this.write(path, text, false, from);
    return path;
  }

  /** What the file may hold; undefined if this text does not write it. */
  read(path: string, commands: readonly ShellCommand[]): Written | undefined {
    const written = this.texts.get(path);
    if (written !== undefined) return written;
    for (; this.indexed < commands.length; this.indexed++) {
      const at = this.indexed;
      for (const each of commands[at]!.writes) {
        this.writers.set(each, [...(this.writers.get(each) ?? []), [at, at + 1] as const].slice(-8));
      }
    }
    const from = this.writers.get(path);
    if (from !== undefined) return { alts: [SOMETHING], from };
    return this.anywhere ? { alts: [SOMETHING], from: NOBODY } : undefined;
  }
}
