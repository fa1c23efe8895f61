/** What somebody without the key can do to a tape. */
import { readFileSync, writeFileSync } from 'node:fs';
import { hashLine } from '../../src/tape/chain.ts';

/** The same tape with one word changed and every hash made anew. */
export function forge(file: string, from: string, to: string): void {
  const [header, ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n');
  const text = [header!];
  for (const line of lines) {
    const old = /"prev":"([0-9a-f]+)"/.exec(line)![1]!;
    text.push(line.replace(old, hashLine(Buffer.from(text.at(-1)!))).replaceAll(from, to));
  }
  writeFileSync(file, `${text.join('\n')}\n`);
}
