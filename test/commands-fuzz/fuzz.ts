/**
 * `npm run fuzz:commands`: makes texts from a seed and holds the reader against real shells. See docs of the options below.
 */
import { readCommand } from '../../src/match/command/index.ts';
import { type FuzzShell, makeForm } from './forms.ts';
import { whyNoSandbox } from './sandbox.ts';
import { missed, type TraceForm, trace } from './trace.ts';

const SHELLS: readonly FuzzShell[] = ['dash', 'bash'];
const HOME = '/home/nobody';

export interface FuzzOptions {
  readonly seed: number;
  readonly from: number;
  readonly count: number;
  readonly batch: number;
  readonly say: (line: string) => void;
}

export interface Miss {
  readonly shell: FuzzShell;
  readonly number: number;
  readonly text: string;
  readonly what: string;
}

export interface FuzzReport {
  readonly forms: number;
  readonly complete: number;
  readonly runs: number;
  readonly misses: readonly Miss[];
  /** Batches that did not end. */
  readonly stuck: number;
}

/** Runs `count` texts under each shell and compares. */
export async function fuzzTraces({ seed, from, count, batch, say }: FuzzOptions): Promise<FuzzReport> {
  const total = { forms: 0, complete: 0, runs: 0, stuck: 0, misses: [] as Miss[] };
  for (let start = from; start < from + count; start += batch) {
    const numbers = Array.from({ length: Math.min(batch, from + count - start) }, (_, i) => start + i);
    await Promise.all(
      SHELLS.map(async (shell) => {
        const forms = numbers.map((number) => ({ number, text: makeForm(seed, number, shell) }));
        await traceBatch(forms, shell, total, say);
      }),
    );
    say(
      `${start + numbers.length - from}/${count} misses ${total.misses.length}; next: --seed ${seed} --from ${start + numbers.length}`,
    );
  }
  return total;
}

type Total = { forms: number; complete: number; runs: number; stuck: number; misses: Miss[] };

async function traceBatch(
  forms: readonly TraceForm[],
  shell: FuzzShell,
  total: Total,
  say: (line: string) => void,
): Promise<void> {
  const { ran, result } = await trace(forms, shell);
  if (!result.finished) {
    total.stuck++;
    say(`a batch of ${shell} from ${forms[0]?.number} did not end: ${result.errors.trim().slice(0, 300)}`);
  }
  for (const { number, text } of forms) {
    const runs = ran.get(number) ?? [];
    total.forms++;
    total.runs += runs.length;
    for (const name of [shell, 'sh']) {
      const reading = readCommand(text, { shell: name, home: HOME });
      if (name === shell && reading.complete) total.complete++;
      const broken = reading.errors.find((error) => error.kind === 'reader');
      if (broken !== undefined) total.misses.push({ shell, number, text, what: broken.message });
      const found = missed(reading, runs);
      if (found === null) continue;
      const named = reading.commands.map((command) => [command.path, ...command.args].join(' ')).join(' | ');
      total.misses.push({
        shell,
        number,
        text,
        what: `read as ${name}: ran ${JSON.stringify(found)}, named ${named}`,
      });
    }
  }
}

export { makeForm, whyNoSandbox };
