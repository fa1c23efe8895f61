/**
 * The approval channel of the terminal: the person at the keyboard decides. They are shown the whole call; a yes to a call
 * they have not seen whole is not taken, a word that is no answer is asked about again, and questions come one after the
 * other, however many calls wait.
 */
import { visible } from '../base/index.ts';
import type { Approval, ApprovalRequest, Approvals } from '../engine/index.ts';
import { type ShownCall, showCall } from '../policy/index.ts';
import type { Keyboard } from './keyboard.ts';

const CHOICES = 'Let it run? [y]es, [N]o, [a]lways this call, always this [t]ool';
export const CALL_CHOICES = 'Let it run? [y]es, [N]o, [a]lways this call in its session';
const SHOW = '[s]how all of it';

const NO: Approval = { approved: false, reason: 'the person at the keyboard said no' };

const ANSWERS: Readonly<Record<string, Approval | 'show'>> = {
  y: { approved: true },
  yes: { approved: true },
  a: { approved: true, remember: 'call' },
  always: { approved: true, remember: 'call' },
  t: { approved: true, remember: 'tool' },
  tool: { approved: true, remember: 'tool' },
  n: NO,
  no: NO,
  '': NO,
  s: 'show',
  show: 'show',
};

/** After so many words that are no answer it is a no: nobody reads what is asked. */
const MOST_WORDS = 10;

/** `choices`: what is offered, if a yes to whatever the same hook asks about a tool is not. */
export function approveAtKeyboard(
  keyboard: Pick<Keyboard, 'confirm'>,
  choices: typeof CHOICES | typeof CALL_CHOICES = CHOICES,
): Approvals {
  let last: Promise<unknown> = Promise.resolve();
  return {
    request: (request, signal) => {
      const answer = last.then(() => ask(keyboard, request, signal, choices));
      last = answer.catch(() => {});
      return answer;
    },
  };
}

async function ask(
  keyboard: Pick<Keyboard, 'confirm'>,
  { toolName, toolInput, cwd, hook, reason = 'it needs approval' }: ApprovalRequest,
  signal: AbortSignal,
  offered: string,
): Promise<Approval> {
  const call = showCall(toolName, toolInput);
  const words = hook === null ? reason : `${hook}: ${reason}`;
  const who = [
    ...(cwd === undefined ? [] : [`in ${visible(cwd).replaceAll('\n', '\\n')}`]),
    visible(words).replaceAll('\n', '\n  | '),
  ].join('\n');
  let seen = call.complete;
  let above = ['', ...call.brief, ...remarks(call, seen), who];
  for (let words = 0; words < MOST_WORDS; words++) {
    const choices = seen ? offered : `${offered}, ${SHOW}`;
    const line = await keyboard.confirm([...above, `${choices}: `].join('\n'), signal);
    if (line === null) return NO;
    const said = line.trim().toLowerCase();
    const known = Object.hasOwn(ANSWERS, said) ? ANSWERS[said]! : null;
    const isOffered = known === 'show' || known?.remember !== 'tool' || offered === CHOICES;
    const answer = isOffered ? known : null;
    if (answer === 'show') {
      seen = true;
      above = ['', ...call.whole, ...remarks(call, true), who];
    } else if (answer === null) {
      above = [`${visible(JSON.stringify(said.slice(0, 40)))} is no answer.`];
    } else if (answer.approved && !seen) {
      above = ['Not all of the call has been shown: look at it first (s), or say no (n).'];
    } else return answer;
  }
  return { approved: false, reason: 'the person at the keyboard gave no answer' };
}

function remarks({ warnings }: ShownCall, seen: boolean): string[] {
  const cut = seen ? [] : ['it is longer than what is shown'];
  return [...warnings, ...cut].map((warning) => `! ${warning}`);
}
