/**
 * Whether a record that is being written is still the file that was opened: not deleted, not moved, not replaced, not cut and not
 * added to by somebody else. A record that changed under its writer proves nothing any more, and must not look as if it did.
 */
import { fstatSync, type Stats, statSync } from 'node:fs';

export class FileUnchangedCheck {
  private readonly file: number;
  private readonly path: string;
  private readonly opened: Stats;

  constructor(file: number, path: string, opened = fstatSync(file)) {
    this.file = file;
    this.path = path;
    this.opened = opened;
  }

  /** Why it is not, or null. `size` is what its writer has written. */
  changed(size: number): string | null {
    // A device or a pipe keeps nothing that could change.
    if (!this.opened.isFile()) return null;
    const there = statSync(this.path, { throwIfNoEntry: false });
    // No other file gets this number while this one is open: what stands under the name is the file itself, with its size.
    const same = there?.ino === this.opened.ino && there.dev === this.opened.dev;
    return same && there.size === size ? null : this.reason(size, same, there === undefined);
  }

  private reason(size: number, same: boolean, gone: boolean): string | null {
    const open = fstatSync(this.file);
    if (open.nlink === 0) return 'it was deleted or replaced while it was being written';
    if (open.size < size) return `it was cut from ${size} to ${open.size} bytes while it was being written`;
    if (open.size > size) return `somebody else added ${open.size - size} bytes while it was being written`;
    if (gone) return 'it was moved away while it was being written';
    return same ? null : 'another file was put in its place while it was being written';
  }
}
