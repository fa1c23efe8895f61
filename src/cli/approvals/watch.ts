/**
 * `harness approvals --watch`: questions as they come, for as long as it runs. At a terminal each is asked at once; otherwise it is
 * only shown. While it runs, hosts know that somebody looks, and wait for an answer.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { LONGEST_TIMER_MS } from '../../base/index.ts';
import type { ApprovalRequest } from '../../engine/index.ts';
import { machineHost } from '../../machine/index.ts';
import { type ApprovalQueue, askPlace, type Entry, ruleName } from '../../policy/index.ts';
import { approveAtKeyboard, askForWord, CALL_CHOICES, Keyboard, type Output } from '../../terminal/index.ts';
import { described, lengthOf } from './describe.ts';

const LOOK_MS = 250;
/** What the word agrees to. */
const ANSWER = 'answer questions here';

export interface WatchOptions {
  readonly json: boolean;
  /** A person sits here. */
  readonly person: boolean;
}

export async function watchQueue(
  queue: ApprovalQueue,
  output: Output,
  options: WatchOptions,
): Promise<number> {
  const release = queue.watch();
  const over = new AbortController();
  const end = () => over.abort();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, end);
  const keyboard = options.person ? new Keyboard({ input: process.stdin, output: process.stderr }) : null;
  if (keyboard !== null) keyboard.interruptedBy = end;
  const known = new Map<string, string>();
  try {
    // Once for all answers that are given here.
    const person =
      keyboard !== null &&
      (await askForWord(ANSWER, (text) => keyboard.confirm(text, over.signal))) === 'yes';
    if (!options.json) output.note('waiting for questions; Ctrl-C ends');
    while (!over.signal.aborted && !output.closed) {
      for (const entry of queue.list()) {
        const { id } = entry.question;
        if (known.get(id) === entry.state) continue;
        const first = !known.has(id);
        known.set(id, entry.state);
        if (first && entry.state !== 'open') continue;
        if (options.json) output.line(JSON.stringify(entry));
        else if (entry.state !== 'open') output.line(`${id}  ${entry.state}`);
        else if (!person) for (const line of ['', ...described(entry, output)]) output.line(line);
        else await askHere(queue, entry, keyboard, over, output);
      }
      await sleep(LOOK_MS, undefined, { signal: over.signal }).catch(() => {});
    }
  } finally {
    keyboard?.close();
    release();
  }
  return 0;
}

async function askHere(
  queue: ApprovalQueue,
  { question, leftMs }: Entry,
  keyboard: Keyboard,
  over: AbortController,
  output: Output,
): Promise<void> {
  const answered = new AbortController();
  const stop = () => answered.abort();
  over.signal.addEventListener('abort', stop, { once: true });
  const late = setTimeout(stop, Math.min(leftMs, LONGEST_TIMER_MS));
  const look = setInterval(() => {
    if (queue.answerTo(question) !== null) stop();
  }, LOOK_MS);
  // A terminal that is closed, or a question that was answered elsewhere, is no no.
  let heard = true;
  const asking = approveAtKeyboard(
    {
      confirm: async (text, signal) => {
        const line = await keyboard.confirm(text, signal);
        if (line === null) heard = false;
        return line;
      },
    },
    CALL_CHOICES,
  );
  try {
    const answer = await asking.request(requestOf(question, leftMs), answered.signal);
    if (!heard) {
      if (!answered.signal.aborted) over.abort();
      else if (!over.signal.aborted) output.line(`\n${question.id}: answered elsewhere, or too late`);
      return;
    }
    const { approved, remember, reason } = answer;
    const scope = remember === 'call' ? 'session' : 'once';
    const { receipt } = queue.answer(question.id, {
      ...{ approved, scope, by: 'terminal', digest: question.digest },
      ...(!approved && reason !== undefined && { reason }),
    });
    if (receipt !== 'taken') output.line(`${question.id}: ${receipt}`);
  } finally {
    clearTimeout(late);
    clearInterval(look);
    over.signal.removeEventListener('abort', stop);
  }
}

function requestOf(question: Entry['question'], leftMs: number): ApprovalRequest {
  const { tool, args, cwd, asks, host, folder } = question;
  const who = asks.map((ask) => `${ruleName(ask)} (${askPlace(ask)})`).join(', ');
  const reason = asks.map((ask) => ask.reason).join('; ');
  const waits = Math.max(0, question.deadline - machineHost.now());
  return {
    hook: `${host} under the policy of ${folder}, ${lengthOf(waits)} left\n${who}`,
    event: 'tool.pre',
    toolName: tool,
    toolInput: args,
    ...(cwd !== undefined && { cwd }),
    windowMs: leftMs,
    reason,
  };
}
