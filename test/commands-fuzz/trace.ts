/**
 * The trace check: runs texts for real and compares the programs that ran, with their arguments, with those the reader named.
 */
import type { Command, CommandReading } from '../../src/shell/index.ts';
import type { FuzzShell } from './forms.ts';
import { type BatchResult, quoteWord, runBatch } from './sandbox.ts';

/** A stub that ran: its name and arguments. */
export type Ran = readonly string[];

export interface TraceForm {
  readonly number: number;
  readonly text: string;
}

/** What ran, by number of the text. */
export async function trace(
  forms: readonly TraceForm[],
  shell: FuzzShell,
): Promise<{ readonly ran: ReadonlyMap<number, readonly Ran[]>; readonly result: BatchResult }> {
  const lines = forms.map(({ number, text }) => `run ${number} ${quoteWord(text)}`);
  const driver = `
run() {
  ( cd "/work/d$1" && FUZZ_FORM=$1 exec timeout -s KILL 5 /bin/${shell} -c "$2" ) </dev/null >/dev/null 2>&1
}
${lines.join('\n')}
# What runs in the background may still be on its way.
tries=0
while kill -0 -1 2>/dev/null && [ "$tries" -lt 200 ]; do
  tries=$((tries+1)); sleep 0.02
done
exit 0
`;
  const result = await runBatch({
    driver,
    folders: forms.map(({ number }) => `d${number}`),
    seconds: 30 + forms.length * 0.2,
  });
  return { ran: ranIn(result.log), result };
}

function ranIn(log: Buffer): Map<number, Ran[]> {
  const ran = new Map<number, Ran[]>();
  let record: string[] = [];
  for (const field of log.toString('utf8').split('\0')) {
    if (field !== '\x01') {
      record.push(field);
      continue;
    }
    const [number = '', ...words] = record;
    record = [];
    const list = ran.get(Number(number)) ?? [];
    list.push(words);
    ran.set(Number(number), list);
  }
  return ran;
}

/** A run that the reading does not know of; null if there is none, or the reading says that it is not complete. */
export function missed(reading: CommandReading, ran: readonly Ran[]): Ran | null {
  if (!reading.complete) return null;
  return ran.find((words) => !reading.commands.some((command) => explains(command, words))) ?? null;
}

/** Whether these are the words of the command; an unknown word may be any, and if it may be several, any number. */
function explains(command: Command, words: Ran): boolean {
  if (command.isFunction || command.program !== words[0]) return false;
  return fits(command, 1, words, 1);
}

function fits(command: Command, at: number, words: Ran, from: number): boolean {
  const word = command.words[at];
  if (word === undefined) return from === words.length;
  if (word.many) {
    for (let next = from; next <= words.length; next++) if (fits(command, at + 1, words, next)) return true;
    return false;
  }
  if (from >= words.length || (word.known && word.text !== words[from])) return false;
  return fits(command, at + 1, words, from + 1);
}
