/**
 * The question to a person far away: posted without its secrets to the address of the user's layer. What comes back counts only if
 * it is signed with the key of that layer, about this very question and in time; garbage, an answer to another question, one
 * said before or too late is no answer.
 */
import { createHmac, createPublicKey, timingSafeEqual, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { canonicalJson, isJsonObject, type Json, type JsonObject, readJson } from '../../base/index.ts';
import { WEBHOOK_LIST, webhookAllowList } from '../../frontends/index.ts';
import { allows, type Host, judgeWebhookUrl } from '../../machine/index.ts';
import { createRedactor, createValueRedactor, secretVariables } from '../../secrets/index.ts';
import type { AskingSettings } from '../asking-settings.ts';
import { askPlace, type Question, ruleName } from './question.ts';
import type { ApprovalQueue, Receipt } from './queue.ts';

/** Begins to ask; what comes of it lies in the queue. Never throws. */
export type AskWebhook = (question: Question, signal: AbortSignal) => void;

export type WebhookHost = Pick<Host, 'env' | 'variables' | 'http' | 'now'>;

/** An answer is small. */
const MOST_ANSWER_BYTES = 64 * 1024;

/** Clocks of two machines differ; an answer from further away than that is an old one. */
const SKEW_MS = 5 * 60 * 1000;

/** Nobody guesses so many. */
const SHORTEST_SECRET = 32;

const SIGNED = ['id', 'digest', 'nonce', 'approved', 'at', 'reason'] as const;

/** Null if the layers name no address. `note` is told why something did not count. */
export function webhookAsker(
  { webhook, key }: AskingSettings,
  queue: ApprovalQueue,
  host: WebhookHost,
  note: (text: string) => void = () => {},
): AskWebhook | null {
  if (webhook === null) return null;
  return (question, signal) => {
    void post(webhook, question, signal, host)
      .then((body) => {
        if (body === null) return;
        const said = takeSigned(body, key, queue, host);
        if (said.receipt !== 'taken')
          note(`the answer of the approvals webhook does not count: ${said.receipt}`);
      })
      .catch((thrown: unknown) => {
        if (!signal.aborted)
          note(`the approvals webhook: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
      });
  };
}

/** The body of the answer; null if it says that there is none yet. */
async function post(
  webhook: string,
  question: Question,
  signal: AbortSignal,
  host: WebhookHost,
): Promise<string | null> {
  const judged = judgeWebhookUrl(webhook);
  if (!judged.ok) throw new Error(judged.message);
  const list = webhookAllowList(host);
  if (list !== null && !allows(list, judged.url))
    throw new Error(`${judged.url.origin} is not on the operator's list ${WEBHOOK_LIST}`);
  const answer = await host.http(
    {
      method: 'POST',
      url: judged.url.href,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(posted(question, host)),
      timeoutMs: Math.max(1, question.deadline - host.now()),
      maxBytes: MOST_ANSWER_BYTES,
    },
    signal,
  );
  if (answer.status < 200 || answer.status > 299) throw new Error(`it answered ${answer.status}`);
  return answer.status === 200 && answer.body.trim() !== '' ? answer.body : null;
}

/** What leaves the machine: the call without its secrets, and with the digest of the whole one. */
export function posted(question: Question, host: Pick<WebhookHost, 'env' | 'variables'>): JsonObject {
  const { id, digest, nonce, asked, deadline, session, folder, cwd, tool, args, asks, reason } = question;
  const hide = createValueRedactor({
    redactor: createRedactor({ values: secretVariables(host) }),
    replacement: {
      value: (rule) => `[${rule}]`,
      text: (_rule, _text, shown) => shown,
      mark: (rule) => `[${rule}]`,
      tooDeep: () => '[too deep]',
    },
  });
  const shown = hide.value({
    tool,
    args,
    reason,
    asks: asks.map((ask) => ({ rule: ruleName(ask), place: askPlace(ask), reason: ask.reason })),
  }) as JsonObject;
  const where = { host: question.host, session, folder, ...(cwd !== undefined && { cwd }) };
  return { version: 1, id, digest, nonce, asked, deadline, ...where, ...shown };
}

type Signed =
  | Receipt
  | { readonly receipt: 'not signed' | 'not an answer' | 'too old'; readonly answer: null };

/** An answer from wherever it came: the webhook, the daemon's address, a file. */
export function takeSigned(
  text: string,
  keyFile: string | null,
  queue: ApprovalQueue,
  host: Pick<Host, 'now'>,
): Signed {
  const reading = readJson(text);
  if (!reading.ok || !isJsonObject(reading.value)) return { receipt: 'not an answer', answer: null };
  const { signature, ...rest } = reading.value;
  if (Object.keys(rest).some((name) => !(SIGNED as readonly string[]).includes(name)))
    return { receipt: 'not an answer', answer: null };
  const { id, digest, nonce, approved, at, reason } = rest;
  const isWhole = typeof id === 'string' && typeof digest === 'string' && typeof approved === 'boolean';
  if (!isWhole || typeof at !== 'number') return { receipt: 'not an answer', answer: null };
  if (typeof signature !== 'string' || keyFile === null || !isSignedBy(rest, signature, keyFile))
    return { receipt: 'not signed', answer: null };
  if (Math.abs(host.now() - at) > SKEW_MS) return { receipt: 'too old', answer: null };
  const question = queue.find(id)?.question;
  if (question === undefined || question.id !== id) return { receipt: 'unknown', answer: null };
  if (question.nonce !== nonce) return { receipt: 'another call', answer: null };
  const said = typeof reason === 'string' ? reason.slice(0, 500) : undefined;
  return queue.answer(id, { approved, by: 'webhook', digest, ...(said !== undefined && { reason: said }) });
}

/** Over the canonical JSON of the answer without its signature: base64 of ed25519, or hex of HMAC-SHA256. */
function isSignedBy(answer: Json, signature: string, keyFile: string): boolean {
  try {
    const key = readFileSync(keyFile, 'utf8').trim();
    const bytes = Buffer.from(canonicalJson(answer));
    if (key.includes('-----BEGIN')) {
      const pem = createPublicKey(key);
      // A shared secret must not be guessed from a public key, nor another kind of key be taken for this one.
      return (
        pem.asymmetricKeyType === 'ed25519' && verify(null, bytes, pem, Buffer.from(signature, 'base64'))
      );
    }
    if (key.length < SHORTEST_SECRET) return false;
    const wanted = createHmac('sha256', key).update(bytes).digest();
    const got = Buffer.from(signature, 'hex');
    return got.length === wanted.length && timingSafeEqual(got, wanted);
  } catch {
    return false;
  }
}
