/**
 * A process of its own that writes a tape, for tests that kill it, starve it of disk or let it compete: it appends entries
 * of many sizes and tells on stdout the number of each one it was acknowledged.
 */
import { writeSync } from 'node:fs';
import type { HarnessError } from '../../src/base/errors.ts';
import { type Acknowledge, TapeWriter } from '../../src/tape/writer.ts';
import { tapeHeader } from './tape.ts';

const [path, acknowledge, most, largest] = process.argv.slice(2) as [string, Acknowledge, string, string];

try {
  const tape = TapeWriter.open(path, { header: tapeHeader(), acknowledge });
  say(`open ${tape.entries}`);
  for (let i = 0; i < Number(most); i++) {
    // Small ones mostly, and now and then one that takes long enough to be cut in the middle.
    const size = i % 10 === 9 ? Number(largest) : (i * 37) % 400;
    say(String(tape.append({ type: 'session', kind: 'work', data: `${i}:${'x'.repeat(size)}` })));
  }
  tape.close();
  say('closed');
} catch (thrown) {
  const { code, message } = thrown as HarnessError;
  say(`error ${code} ${message}`);
  process.exitCode = 1;
}

function say(text: string): void {
  writeSync(1, `${text}\n`);
}
