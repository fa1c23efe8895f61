/**
 * Files that live as long as the process: in one folder of its own that nobody else can read, removed when it exits.
 */
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

let folder: string | null = null;

/** An empty file of that name, which may have folders in it; one that is there stays as it is. */
export function scratchFile(name: string): string {
  const path = join(scratchFolder(), name);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, 'a', 0o600));
  return path;
}

function scratchFolder(): string {
  if (folder !== null) return folder;
  const made = mkdtempSync(join(tmpdir(), 'harness-'));
  folder = made;
  process.once('exit', () => rmSync(made, { recursive: true, force: true }));
  return made;
}
