/**
 * `harness approvals`: the questions that calls of this user's agents wait for, and the answers to them. To answer is for a person
 * at a terminal; a signed answer may come from anywhere.
 */
import { resolve } from 'node:path';
import { didYouMean } from '../base/index.ts';
import { machineHost } from '../machine/index.ts';
import {
  type ApprovalQueue,
  askStats,
  type Entry,
  LONGEST_MS,
  openQueue,
  type Receipt,
  type RuleCount,
  type Scope,
  takeSigned,
} from '../policy/index.ts';
import {
  type Arguments,
  alignColumns,
  askForWord,
  atTerminal,
  demandNoAgent,
  demandPerson,
  isPersonHere,
  type Output,
  openPolicyAt,
  quote,
  type Run,
  readText,
  timeOf,
  UsageError,
} from '../terminal/index.ts';
import { described, rows } from './approvals/describe.ts';
import { watchQueue } from './approvals/watch.ts';

type Step = (queue: ApprovalQueue, id: string, args: Arguments, output: Output) => number | Promise<number>;

const STEPS: Readonly<Record<string, Step>> = {
  ls: (queue, _id, args, output) => {
    const all = queue.list();
    const shown = args.has('all') ? all : all.filter(({ state, answer }) => isOfInterest(state, answer));
    if (args.has('json')) output.line(JSON.stringify(shown));
    else if (shown.length === 0) output.line('No question waits.');
    else for (const line of rows(shown, output)) output.line(line);
    return 0;
  },
  show: (queue, id, args, output) => {
    const entry = demandEntry(queue, id);
    if (args.has('json')) output.line(JSON.stringify(entry));
    else for (const line of described(entry, output)) output.line(line);
    return 0;
  },
  allow: async (queue, id, args, output) => {
    demandPerson('approvals allow');
    const { question } = demandEntry(queue, id);
    const { scope, until } = scopeOf(args);
    if (!args.has('yes')) for (const line of described(demandEntry(queue, id), output)) output.note(line);
    // What is agreed to is what was shown just now.
    const { digest } = question;
    if ((await askForWord('let it run', atTerminal)) !== 'yes') {
      output.line('Nothing was answered: the question stays as it is.');
      return 1;
    }
    const given = { approved: true, by: 'terminal', scope, digest, ...(until !== null && { until }) };
    return printAnswer(queue.answer(question.id, given), args, output);
  },
  deny: (queue, id, args, output) => {
    demandPerson('approvals deny');
    const { question } = demandEntry(queue, id);
    const reason = args.value('reason')?.trim() ?? '';
    if (reason === '') throw new UsageError('deny needs --reason TEXT: the agent sees it');
    const given = { approved: false, by: 'terminal', reason: reason.slice(0, 500) };
    return printAnswer(queue.answer(question.id, given), args, output);
  },
  withdraw: (queue, id, args, output) => {
    demandPerson('approvals withdraw');
    const { question } = demandEntry(queue, id);
    const done = queue.withdraw(question.id);
    if (args.has('json')) output.line(JSON.stringify({ id: question.id, withdrawn: done }));
    else output.line(done ? 'It holds no more.' : 'There is no yes that holds.');
    return done ? 0 : 1;
  },
  stats: (queue, _id, args, output) => {
    const since = args.value('since');
    const from = since === undefined ? 0 : timeOf(since);
    if (Number.isNaN(from))
      throw new UsageError(`--since wants a date or a span such as 7d, got ${quote(since!)}`);
    const counts = askStats(queue.folder, from);
    if (args.has('json'))
      output.line(JSON.stringify(counts.map((count) => ({ ...count, backtest: backtest(count) }))));
    else printStats(counts, output);
    return 0;
  },
  answer: async (queue, file, args, output) => {
    const text = await readText(file === '' ? '-' : file);
    if (text === null) throw new UsageError('answer wants a file, or - for stdin');
    const { settings } = await openPolicyAt('.', {});
    const signed = takeSigned(text, settings.asking.key, queue, machineHost);
    return printAnswer(signed, args, output);
  },
};

export const run: Run = async (args, output) => {
  const [word = 'ls', id = '', ...rest] = args.positionals;
  const step = Object.hasOwn(STEPS, word) ? STEPS[word]! : null;
  if (step === null || rest.length > 0) {
    const names = Object.keys(STEPS);
    throw new UsageError(
      `unknown action ${quote(word)}${didYouMean(word, names)}\nKnown: ${names.join(', ')}`,
    );
  }
  demandNoAgent('approvals');
  const queue = openQueue(machineHost);
  if (queue === null) throw new UsageError('want HOME or XDG_STATE_HOME to be set');
  const problem = queue.problem();
  if (problem !== null) throw new UsageError(problem);
  if (args.has('watch')) {
    if (word !== 'ls') throw new UsageError(`--watch is for the list, not for ${word}`);
    const json = args.has('json');
    return watchQueue(queue, output, { json, person: !json && isPersonHere() });
  }
  return step(queue, id, args, output);
};

function isOfInterest(state: Entry['state'], answer: Entry['answer']): boolean {
  return state === 'open' || (state === 'allowed' && answer !== null);
}

function demandEntry(queue: ApprovalQueue, id: string): Entry {
  const entry = queue.find(id);
  if (entry !== null) return entry;
  const known = queue.list().map(({ question }) => question.id);
  if (id === '') throw new UsageError('want the id of a question; `harness approvals` lists them');
  throw new UsageError(`there is no question ${quote(id)}${didYouMean(id, known)}`);
}

function scopeOf(args: Arguments): { readonly scope: Scope; readonly until: number | null } {
  const [session, folder, until] = [args.has('session'), args.has('folder'), args.value('until')];
  if (session && folder) throw new UsageError('want --session or --folder, got both');
  if (folder !== (until !== undefined)) throw new UsageError('want --folder together with --until DATE');
  if (until === undefined) return { scope: session ? 'session' : 'once', until: null };
  const [, count, unit] = /^(\d{1,5})([mhd])$/.exec(until) ?? [];
  const now = machineHost.now();
  const at = unit === undefined ? Date.parse(until) : now + Number(count) * SPANS[unit]!;
  if (!(at > now && at <= now + LONGEST_MS)) {
    throw new UsageError(
      `--until wants a date to come such as 2030-01-31, or 2h or 7d, at most 90 days, got ${quote(until)}`,
    );
  }
  return { scope: 'folder', until: at };
}

const SPANS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

function printAnswer(
  said: Pick<Receipt, 'answer'> & { readonly receipt: string },
  args: Arguments,
  output: Output,
): number {
  const { receipt, answer } = said;
  if (args.has('json')) output.line(JSON.stringify(said));
  else if (receipt === 'taken')
    output.line(output.paint(answer?.approved ? 'green' : 'red', answer?.approved ? 'allowed' : 'denied'));
  else {
    const first = answer === null ? '' : `: ${answer.approved ? 'allowed' : 'denied'} by ${answer.by}`;
    output.note(`Nothing was changed: ${receipt}${first}.`);
  }
  return receipt === 'taken' ? 0 : 1;
}

function printStats(counts: readonly RuleCount[], output: Output): void {
  if (counts.length === 0) {
    output.line('No rule has asked anything yet.');
    return;
  }
  const head = ['rule', 'asked', 'allowed', 'denied', 'unanswered', 'where'];
  const table = counts.map(({ rule, asked, allowed, denied, unanswered, place, folder }) => [
    { text: rule },
    ...[asked, allowed, denied, unanswered].map((count) => ({ text: String(count), right: true })),
    { text: `${place} in ${folder}` },
  ]);
  const titles = head.map((text, i) => ({ text, style: 'dim' as const, right: i > 0 && i < 5 }));
  for (const line of alignColumns([titles, ...table], output.paint)) output.line(line);
  for (const count of counts.filter(({ proposed }) => proposed)) {
    const share = Math.round((100 * count.allowed) / count.asked);
    output.line('');
    output.line(
      `${output.paint('yellow', count.rule)} was approved ${share} times in a hundred: a question that is always`,
    );
    output.line(
      `always answered with yes is not read any more. Narrow it (${count.place}), then see what that would have changed:`,
    );
    output.line(`  ${backtest(count)}`);
  }
}

/** Ready to be typed: what the rule decided in the past, by the folder as it is then. */
function backtest({ folder }: RuleCount): string {
  const dir = shellWord(resolve(folder));
  return `harness backtest ${shellWord(resolve(folder, '.harness/runs'))} --policy ${dir}`;
}

function shellWord(text: string): string {
  return /^[\w./@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
