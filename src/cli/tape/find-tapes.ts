/**
 * Which tapes a path means: a file is itself, a folder all `.jsonl` files in it, a project the tapes of its runs. Beside it
 * how reading them is shown where it takes long.
 */
import { readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { UsageError } from '../command.ts';
import { quote } from '../options.ts';
import type { Output } from '../output.ts';

const RUNS = join('.harness', 'runs');

export interface Found {
  readonly files: readonly string[];
  /** Whether the path is one tape. */
  readonly single: boolean;
}

export function findTapes(path: string): Found {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) throw new UsageError(`${quote(path)} is not there`);
  if (!stat.isDirectory()) return { files: [path], single: true };
  const here = tapesIn(path);
  const files = here.length > 0 ? here : tapesIn(join(path, RUNS));
  if (files.length === 0) throw new UsageError(`there are no tapes (*.jsonl) in ${quote(path)}`);
  return { files, single: false };
}

export function oneTape(path: string): string {
  const { files, single } = findTapes(path);
  if (single || files.length === 1) return files[0]!;
  const names = files.slice(0, 5).map((file) => basename(file));
  const more = files.length > names.length ? ', …' : '';
  throw new UsageError(`${quote(path)} holds ${files.length} tapes; name one: ${names.join(', ')}${more}`);
}

function tapesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.jsonl'))
      .sort()
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

/** Says on a terminal how far reading has come, once it takes longer than a second. */
export function progressOf(what: string, output: Output): (done: number, all: number) => void {
  if (process.stderr.isTTY !== true) return () => {};
  let said = Date.now();
  return (done, all) => {
    if (Date.now() - said < 1000) return;
    said = Date.now();
    output.note(`${what}: ${Math.floor((done / Math.max(all, 1)) * 100)} %`);
  };
}
