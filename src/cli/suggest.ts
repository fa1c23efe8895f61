/**
 * `harness suggest`: rules proposed from what people refused or took back with git on record, each with what it would have done to the same runs.
 * Nothing is guessed: without a refusal there is no rule, and of several forms the widest that stops nothing that ran is taken.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HarnessError } from '../base/index.ts';
import type { Hook } from '../engine/index.ts';
import { openPolicy } from '../policy/index.ts';
import {
  Calls,
  type Form,
  findTapes,
  hookFile,
  progressOf,
  type Refusal,
  runFolders,
  type Suggestion,
  suggestionsFor,
  tapesIn,
  UNDONE,
} from '../project/index.ts';
import { IMPORTS } from '../session/index.ts';
import { Backtest } from '../tape/index.ts';
import { countOf, harmless, type Output, type Run, UsageError } from '../terminal/index.ts';

const MOST_SUGGESTED = 10;

interface Tried {
  readonly suggestion: Suggestion;
  readonly form: Form;
  readonly action: 'block' | 'ask';
  readonly hook: string;
  readonly counts: Counts;
}

interface Counts {
  /** Of the refused calls. */
  refused: number;
  /** Calls that ran then and would be stopped now. */
  ran: number;
  /** Calls whose end is not on record. */
  other: number;
}

export const run: Run = async (args, output) => {
  const tapes = tapesFor(args.positionals[0]);
  const calls = new Calls();
  const readable: string[] = [];
  for (const tape of tapes) {
    try {
      calls.addTape(tape);
      readable.push(tape);
    } catch (thrown) {
      if (!(thrown instanceof HarnessError)) throw thrown;
      output.note(`${output.paintNote('red', 'broken')}: ${thrown.message}`);
    }
  }
  const all = suggestionsFor([...calls.refused, ...calls.undone]);
  const progress = progressOf('trying', output);
  const tried: Tried[] = [];
  for (const [i, suggestion] of all.slice(0, MOST_SUGGESTED).entries()) {
    progress(i, all.length);
    tried.push(await tryForms(suggestion, calls, readable));
  }
  if (args.has('json')) output.line(JSON.stringify({ ...totals(readable, calls), rules: tried.map(dataOf) }));
  else print(tried, all.length, readable, calls, output);
  return readable.length === tapes.length ? 0 : 1;
};

function tapesFor(path: string | undefined): readonly string[] {
  if (path !== undefined) return findTapes(path).files;
  const files = [IMPORTS, ...runFolders()].flatMap(tapesIn);
  if (files.length > 0) return files;
  throw new UsageError(
    `no tapes here: want ${IMPORTS} or .harness/runs; \`harness import claude-code\` makes some of the sessions you had`,
  );
}

/** The widest form that stops nothing that ran; if each does, the narrowest, and it asks. */
async function tryForms(suggestion: Suggestion, calls: Calls, tapes: readonly string[]): Promise<Tried> {
  let last: Tried | null = null;
  for (const form of suggestion.forms) {
    const hook = hookFile(suggestion, form, 'block');
    const counts = await backtest(hook, calls, tapes);
    last = { suggestion, form, action: 'block', hook, counts };
    if (counts.ran === 0) return last;
  }
  return { ...last!, action: 'ask', hook: hookFile(suggestion, last!.form, 'ask') };
}

async function backtest(text: string, calls: Calls, tapes: readonly string[]): Promise<Counts> {
  const candidate = new Backtest([await loadHook(text)]);
  const counts: Counts = { refused: 0, ran: 0, other: 0 };
  for (const tape of tapes) {
    const { changed, session } = await candidate.run(tape);
    for (const { seq, after } of changed) {
      if (after.action === 'block' || after.action === 'ask') counts[calls.endOf(session, seq) ?? 'other']++;
    }
  }
  return counts;
}

const NAME = 'suggested';

/** As a policy would load it. */
async function loadHook(text: string): Promise<Hook> {
  const dir = mkdtempSync(join(tmpdir(), 'harness-suggest-'));
  try {
    const hooks = join(dir, '.harness', 'hooks');
    mkdirSync(hooks, { recursive: true });
    writeFileSync(join(hooks, `${NAME}.md`), text);
    const policy = await openPolicy(dir, { places: { managed: null, user: null }, trust: 'no code' });
    const hook = [...policy.hooks].find(({ name }) => name === NAME);
    if (hook !== undefined) return hook;
    const why = policy.problems.map(({ message }) => message).join('; ');
    throw new Error(`a suggested hook cannot be loaded: ${why}`);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function wordFor(calls: readonly Refusal[]): string {
  const undone = calls.filter(({ reason }) => reason === UNDONE).length;
  return undone === 0 ? 'refused' : undone === calls.length ? 'undone' : 'refused or undone';
}

function totals(tapes: readonly string[], calls: Calls): Record<string, number> {
  const { count, refused, undone } = calls;
  return { tapes: tapes.length, calls: count, refused: refused.length, undone: undone.length };
}

function dataOf({ suggestion, form, action, hook, counts }: Tried): Record<string, unknown> {
  const { name, refused } = suggestion;
  return { name, about: form.about, action, hook, backtest: counts, refused };
}

function print(
  tried: readonly Tried[],
  all: number,
  tapes: readonly string[],
  calls: Calls,
  output: Output,
): void {
  const { refused, undone } = calls;
  const back = undone.length === 0 ? '' : `, ${undone.length} undone with git`;
  output.line(
    `${countOf(tapes.length, 'tape')} with ${countOf(calls.count, 'call')}, ${refused.length} refused by a person${back}`,
  );
  if (tried.length === 0) output.line('No refusals on record, so there is nothing to suggest.');
  for (const { suggestion, form, action, hook, counts } of tried) {
    const { name, refused: these } = suggestion;
    output.line();
    output.line(
      `${output.paint('bold', harmless(form.about))}  ${output.paint('dim', `.harness/hooks/${name}.md`)}`,
    );
    const other = counts.other === 0 ? '' : `, ${counts.other} whose end is not on record`;
    output.line(
      `${wordFor(these)} ${countOf(these.length, 'time')}. Backtest: ${action === 'ask' ? 'asks before' : 'stops'} ${counts.refused} of ${these.length} such calls, ${counts.ran} that ran${other}`,
    );
    output.line();
    for (const line of hook.trimEnd().split('\n')) output.line(`    ${harmless(line)}`);
  }
  if (all > tried.length) {
    output.line();
    output.line(`${all - tried.length} more kinds of calls were refused, each less often`);
  }
}
