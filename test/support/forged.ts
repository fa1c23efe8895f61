/** A tape changed by hand whose chain was made anew, so that only what it says can give it away. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashLine } from '../../src/tape/chain.ts';
import { tempProject } from './temp-project.ts';

/** `change` is given every line, the header first. */
export function forged(path: string, change: (line: string, at: number) => string): string {
  const [header, ...lines] = readFileSync(path, 'utf8').trimEnd().split('\n').map(change);
  let prev = hashLine(Buffer.from(header!));
  const entries = lines.map((line) => {
    const entry = line.replace(/"prev":"[0-9a-f]{64}"/, `"prev":"${prev}"`);
    prev = hashLine(Buffer.from(entry));
    return entry;
  });
  const file = join(tempProject(), 'forged.jsonl');
  writeFileSync(file, `${[header, ...entries].join('\n')}\n`);
  return file;
}
