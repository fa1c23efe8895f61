/** The filter of system calls as a file that only its owner can read, for as long as it is needed. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface FilterFile {
  readonly path: string;
  remove(): void;
}

export function filterFile(filter: Uint8Array): FilterFile {
  const folder = mkdtempSync(join(tmpdir(), 'harness-filter-'));
  const path = join(folder, 'filter');
  writeFileSync(path, filter, { mode: 0o600 });
  const remove = () => {
    process.off('exit', remove);
    rmSync(folder, { recursive: true, force: true });
  };
  process.on('exit', remove);
  return { path, remove };
}
