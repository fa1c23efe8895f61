/**
 * `npm run fuzz:commands`: makes texts from a seed and holds the reader against real shells. See docs of the options below.
 */
import { readCommand } from '../../src/shell/index.ts';
import { type FuzzShell, makeForm } from './forms.ts';
import { difference, parseForms } from './parse.ts';
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
    const next = start + numbers.length;
    say(`${next - from}/${count} misses ${numbersOf(total.misses)}; next: --seed ${seed} --from ${next}`);
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

export interface ParseReport {
  readonly forms: number;
  /** Texts the shell takes. */
  readonly accepted: number;
  /** Of those, read without any error. */
  readonly complete: number;
  /** Of those, not read for a reason of syntax. */
  readonly unread: number;
  /** Texts the shell refuses and the reader takes: more than is there, never less. */
  readonly overread: number;
  readonly misses: readonly Miss[];
  readonly stuck: number;
}

/** Gives `count` texts to each shell to parse, and compares what bash prints of them. */
export async function fuzzParses({ seed, from, count, batch, say }: FuzzOptions): Promise<ParseReport> {
  const total = {
    forms: 0,
    accepted: 0,
    complete: 0,
    unread: 0,
    overread: 0,
    stuck: 0,
    misses: [] as Miss[],
  };
  for (let start = from; start < from + count; start += batch) {
    const numbers = Array.from({ length: Math.min(batch, from + count - start) }, (_, i) => start + i);
    await Promise.all(
      SHELLS.map(async (shell) => {
        const forms = numbers.map((number) => ({ number, text: makeForm(seed, number, shell) }));
        const { parsed, finished, errors } = await parseForms(forms, shell);
        if (!finished || parsed.size !== forms.length) {
          total.stuck++;
          say(`a batch of ${shell} from ${start} did not end: ${errors.trim().slice(0, 300)}`);
        }
        for (const { number, text } of forms) {
          const found = parsed.get(number);
          const reading = readCommand(text, { shell, home: HOME });
          const miss = (what: string) => total.misses.push({ shell, number, text, what });
          total.forms++;
          const broken = reading.errors.find((error) => error.kind === 'reader');
          if (broken !== undefined) miss(broken.message);
          if (found === undefined) continue;
          if (!found.accepted) {
            if (reading.complete) {
              total.overread++;
              if (process.env.FUZZ_SHOW) say(`OVER ${shell} ${JSON.stringify(text)}`);
            }
            continue;
          }
          total.accepted++;
          if (reading.complete) total.complete++;
          if (reading.errors.some((error) => error.kind === 'syntax')) {
            total.unread++;
            if (process.env.FUZZ_SHOW)
              say(`UNREAD ${shell} ${JSON.stringify(reading.errors[0])} ${JSON.stringify(text)}`);
          }
          // bash prints these in ways that it would read differently itself.
          if (found.printed === null || /coproc|<</.test(text.replaceAll('\\\n', ''))) continue;
          const other = difference(reading, readCommand(found.printed, { shell, home: HOME }));
          if (other !== null) miss(`${other}\n  printed ${JSON.stringify(found.printed)}`);
        }
      }),
    );
    const next = start + numbers.length;
    say(
      `${next - from}/${count} misses ${numbersOf(total.misses)}; next: --parse --seed ${seed} --from ${next}`,
    );
  }
  return total;
}

/** A long run may be broken off: what it found so far is in every line. */
function numbersOf(misses: readonly Miss[]): string {
  const first = misses.slice(0, 10).map(({ shell, number }) => `${shell} ${number}`);
  return misses.length === 0 ? '0' : `${misses.length} (${first.join(', ')})`;
}

export { makeForm, whyNoSandbox };
