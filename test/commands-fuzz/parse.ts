/**
 * The parse check: what a real shell takes for a text. bash also prints the text back in its own words, and what the reader
 * finds in those must be what it found in the original.
 */
import type { CommandReading } from '../../src/shell/index.ts';
import type { FuzzShell } from './forms.ts';
import { quoteWord, runBatch } from './sandbox.ts';
import type { TraceForm } from './trace.ts';

export interface Parsed {
  readonly accepted: boolean;
  /** The text as bash prints it. */
  readonly printed: string | null;
}

/** Makes a function of each text, in a shell of its own, without calling it. */
export async function parseForms(
  forms: readonly TraceForm[],
  shell: FuzzShell,
): Promise<{
  readonly parsed: ReadonlyMap<number, Parsed>;
  readonly finished: boolean;
  readonly errors: string;
}> {
  const print = shell === 'bash' ? '&& declare -f f' : '';
  const lines = forms.map(({ number, text }) => `t ${number} ${quoteWord(text)}`);
  const inner = `
t() {
  printf '%s\\0' "$1"
  ( eval "f() {
$2
}" ${print} ) 2>/dev/null </dev/null
  printf '\\0%s\\0' "$?"
}
exec >> /work/out
# A text that closes the function early is run: without programs, and without calling itself for ever, it comes to an end.
PATH=/none
FUNCNEST=20
ulimit -t 3
${lines.join('\n')}
`;
  // The driver itself is dash; the texts are given to the shell in question as one script.
  const { finished, out, errors } = await runBatch({
    driver: `/bin/${shell} /work/texts\nexit 0\n`,
    folders: [],
    texts: inner,
    seconds: 60 + forms.length * 0.02,
  });
  const parsed = new Map<number, Parsed>();
  const fields = out.toString('utf8').split('\0');
  for (let i = 0; i + 2 < fields.length; i += 3) {
    const accepted = fields[i + 2] === '0';
    parsed.set(Number(fields[i]), {
      accepted,
      printed: accepted && shell === 'bash' ? bodyOf(fields[i + 1]!) : null,
    });
  }
  return { parsed, finished, errors };
}

/** What stands between the braces of the function. */
function bodyOf(text: string): string | null {
  return /^f \(\) \n\{ \n([\s\S]*)\n\}\n$/.exec(text)?.[1] ?? null;
}

/** Programs with their words, as a set. */
export function namedIn(reading: CommandReading): ReadonlySet<string> {
  return new Set(
    reading.commands
      // `time` is a word of the shell before some commands and a program before others.
      .filter((command) => command.program !== '' && command.program !== 'time')
      .map((command) => JSON.stringify(command.words.map((word) => (word.known ? word.text : [word.many])))),
  );
}

/** A program that only one of two complete readings names, or null. */
export function difference(a: CommandReading, b: CommandReading): string | null {
  if (!a.complete || !b.complete) return null;
  const [first, second] = [namedIn(a), namedIn(b)];
  for (const each of first) if (!second.has(each)) return `only in the original: ${each}`;
  for (const each of second) if (!first.has(each)) return `only as bash prints it: ${each}`;
  return null;
}
