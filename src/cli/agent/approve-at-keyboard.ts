/**
 * The approval channel of the terminal: whoever sits at the keyboard decides. Anything but a yes is a no, and questions come
 * one after the other, however many calls wait.
 */
import type { Approval, ApprovalRequest, Approvals } from '../../hooks/approvals.ts';
import { callText, harmless } from '../timeline/fit.ts';
import type { Keyboard } from './conversation.ts';

const CHOICES = 'Let it run? [y]es, [N]o, [a]lways this call, always this [t]ool: ';

const ANSWERS: Readonly<Record<string, Approval>> = {
  y: { approved: true },
  yes: { approved: true },
  a: { approved: true, remember: 'call' },
  always: { approved: true, remember: 'call' },
  t: { approved: true, remember: 'tool' },
  tool: { approved: true, remember: 'tool' },
};

const NO: Approval = { approved: false, reason: 'the person at the keyboard said no' };

export function approveAtKeyboard(keyboard: Pick<Keyboard, 'confirm'>): Approvals {
  let last: Promise<unknown> = Promise.resolve();
  return {
    request: (request, signal) => {
      const answer = last.then(() => ask(keyboard, request, signal));
      last = answer.catch(() => {});
      return answer;
    },
  };
}

async function ask(
  keyboard: Pick<Keyboard, 'confirm'>,
  { toolName, toolInput, hook, reason = 'it needs approval' }: ApprovalRequest,
  signal: AbortSignal,
): Promise<Approval> {
  const who = hook === null ? reason : `${hook}: ${reason}`;
  const question = harmless(`\n${callText(toolName, toolInput)}\n${who}\n${CHOICES}`);
  const line = await keyboard.confirm(question, signal);
  const said = line?.trim().toLowerCase() ?? '';
  return Object.hasOwn(ANSWERS, said) ? ANSWERS[said]! : NO;
}
