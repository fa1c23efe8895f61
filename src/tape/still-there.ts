/**
 * Whether a record that is being written is still the file that was opened: not deleted, not moved, not replaced, not cut and not
 * added to by somebody else. A record that changed under its writer proves nothing any more, and must not look as if it did.
 */
import { fstatSync, statSync } from 'node:fs';

export class StillThere {
  private readonly file: number;
  private readonly path: string;

  constructor(file: number, path: string) {
    this.file = file;
    this.path = path;
  }

  /** Why it is not, or null. `size` is what its writer has written. */
  changed(size: number): string | null {
    const open = fstatSync(this.file);
    // A device or a pipe keeps nothing that could change.
    if (!open.isFile()) return null;
    if (open.nlink === 0) return 'it was deleted or replaced while it was being written';
    if (open.size < size) return `it was cut from ${size} to ${open.size} bytes while it was being written`;
    if (open.size > size) return `somebody else added ${open.size - size} bytes while it was being written`;
    const there = statSync(this.path, { throwIfNoEntry: false });
    if (there === undefined) return 'it was moved away while it was being written';
    const same = there.ino === open.ino && there.dev === open.dev;
    return same ? null : 'another file was put in its place while it was being written';
  }
}
