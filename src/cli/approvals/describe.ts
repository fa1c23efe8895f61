/** Questions as a person reads them: the whole call, who asks and why, how long is left. */
import { visible } from '../../base/index.ts';
import { askPlace, type Entry, ruleName, showCall } from '../../policy/index.ts';
import { alignColumns, type Cell, type Output, onOneLine, type Style } from '../../terminal/index.ts';

const STYLES: Readonly<Record<Entry['state'], Style>> = {
  open: 'yellow',
  allowed: 'green',
  denied: 'red',
  used: 'dim',
  expired: 'dim',
};

export function lengthOf(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  return minutes < 2 * 24 * 60 ? `${Math.round(minutes / 60)} h` : `${Math.round(minutes / 60 / 24)} days`;
}

export function rows(entries: readonly Entry[], output: Output): string[] {
  const cells = entries.map(({ question, state, leftMs }): Cell[] => [
    { text: question.id, style: 'bold' },
    { text: state, style: STYLES[state] },
    { text: leftMs > 0 ? lengthOf(leftMs) : '', right: true },
    { text: question.host },
    { text: question.asks.map(ruleName).join(', ') },
    { text: shortCall(question) },
  ]);
  return alignColumns(cells, output.paint);
}

/** The call on one line, for a list; `show` has all of it. */
function shortCall({ tool, args }: Entry['question']): string {
  const text = onOneLine(visible(`${tool} ${JSON.stringify(args)}`));
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

/** Everything, nothing left out. */
export function described({ question, state, answer, leftMs }: Entry, output: Output): string[] {
  const { whole, warnings } = showCall(question.tool, question.args);
  const left = leftMs > 0 ? `, ${lengthOf(leftMs)} left` : '';
  return [
    `${output.paint('bold', question.id)}  ${output.paint(STYLES[state], state)}${left}`,
    ...whole,
    ...warnings.map((warning) => output.paint('red', `! ${warning}`)),
    ...question.asks.map((ask) => field('asked by', `${ruleName(ask)} (${askPlace(ask)}): ${ask.reason}`)),
    field('for', `${question.host}, session ${question.session}`),
    ...(question.cwd === undefined ? [] : [field('runs in', question.cwd)]),
    field('policy of', question.folder),
    field('digest', question.digest),
    ...(question.elsewhere === true && state === 'open'
      ? ['The agent asks its own user too; a yes here counts if it tries again.']
      : []),
    ...(answer === null ? [] : [field(answer.approved ? 'allowed' : 'denied', answerText(answer))]),
  ];
}

function field(name: string, text: string): string {
  return `  ${name}: ${onOneLine(visible(text))}`;
}

function answerText({ by, at, scope, until, reason }: NonNullable<Entry['answer']>): string {
  const time = (ms: number) => new Date(ms).toISOString().slice(0, 16).replace('T', ' ');
  const span = {
    once: 'once',
    session: 'for its session',
    folder: `for its folder until ${time(until ?? 0)}`,
  };
  return `${span[scope]}, by ${by} at ${time(at)}${reason === null ? '' : `: ${reason}`}`;
}
