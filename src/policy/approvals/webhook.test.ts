/** A webhook's answer counts if it is signed, about this question, whole and in time. Nothing else is an answer. */
import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { canonicalJson } from '../../base/canonical-json.ts';
import type { JsonObject } from '../../base/json.ts';
import { machineHost } from '../../machine/host.ts';
import type { Question } from './question.ts';
import { ApprovalQueue } from './queue.ts';
import { posted, takeSigned, webhookAsker } from './webhook.ts';

const SECRET = 'a secret that nobody guesses, long enough';
const ASK = { hook: 'pushes', layer: 'user', rank: 2, reason: 'it pushes', source: 'pushes.md' };

function desk(key = SECRET) {
  const folder = mkdtempSync(join(tmpdir(), 'harness-webhook-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const keyFile = join(folder, 'key');
  writeFileSync(keyFile, key);
  const queue = new ApprovalQueue(join(folder, 'approvals'), machineHost);
  const question = asked(queue, 'git push');
  return { queue, question, keyFile };
}

function asked(queue: ApprovalQueue, command: string): Question {
  const about = { host: 'codex', session: 's', folder: '/p', tool: 'run_command', reason: 'it pushes' };
  const put = queue.ask({ ...about, args: { command }, asks: [ASK] });
  if (!('question' in put)) throw new Error(JSON.stringify(put));
  return put.question;
}

function answerTo({ id, digest, nonce }: Question, more: JsonObject = {}): JsonObject {
  return { id, digest, nonce, approved: true, at: machineHost.now(), ...more };
}

function hmac(answer: JsonObject, secret = SECRET): string {
  const signature = createHmac('sha256', secret).update(canonicalJson(answer)).digest('hex');
  return JSON.stringify({ ...answer, signature });
}

describe('a signed answer', () => {
  it('counts once', () => {
    const { queue, question, keyFile } = desk();
    const text = hmac(answerTo(question));
    expect(takeSigned(text, keyFile, queue, machineHost)).toMatchObject({
      receipt: 'taken',
      answer: { approved: true, by: 'webhook', scope: 'once' },
    });
    expect(takeSigned(text, keyFile, queue, machineHost).receipt).toBe('answered already');
  });

  it('counts with an ed25519 key', () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const { queue, question, keyFile } = desk(pem);
    const answer = answerTo(question);
    // The public key is no secret: an HMAC made with it is no signature.
    expect(takeSigned(hmac(answer, pem.trim()), keyFile, queue, machineHost).receipt).toBe('not signed');
    const signature = sign(null, Buffer.from(canonicalJson(answer)), privateKey).toString('base64');
    const signed = JSON.stringify({ ...answer, signature });
    expect(takeSigned(signed, keyFile, queue, machineHost).receipt).toBe('taken');
  });

  it('is none if it is garbage, unsigned, signed by somebody else, for another question, or old', () => {
    const { queue, question, keyFile } = desk();
    const other = asked(queue, 'git push -f');
    const answer = answerTo(question);
    const signed = JSON.parse(hmac(answer)) as JsonObject;
    const cases: readonly [string, string][] = [
      ['', 'not an answer'],
      ['true', 'not an answer'],
      ['{"approved":true}', 'not an answer'],
      [JSON.stringify(answer), 'not signed'],
      [hmac(answer, `${SECRET}.`), 'not signed'],
      [JSON.stringify({ ...signed, approved: false }), 'not signed'],
      [JSON.stringify({ ...signed, signature: '' }), 'not signed'],
      [hmac({ ...answer, scope: 'folder' }), 'not an answer'],
      [hmac({ ...answer, at: machineHost.now() - 3_600_000 }), 'too old'],
      [hmac({ ...answer, at: machineHost.now() + 3_600_000 }), 'too old'],
      [hmac({ ...answer, id: other.id }), 'another call'],
      [hmac({ ...answer, digest: other.digest }), 'another call'],
      [hmac({ ...answer, nonce: other.nonce }), 'another call'],
      [hmac({ ...answer, id: 'nobody' }), 'unknown'],
      [`{"id":"x",${hmac(answer).slice(1)}`, 'not an answer'],
    ];
    for (const [text, receipt] of cases)
      expect([text, takeSigned(text, keyFile, queue, machineHost).receipt]).toEqual([text, receipt]);
    expect(takeSigned(hmac(answer), null, queue, machineHost).receipt).toBe('not signed');
    expect(queue.find(question.id)?.state).toBe('open');
  });

  it('a secret that is too short signs nothing', () => {
    const { queue, question, keyFile } = desk('short');
    expect(takeSigned(hmac(answerTo(question), 'short'), keyFile, queue, machineHost).receipt).toBe(
      'not signed',
    );
  });
});

describe('the question that is posted', () => {
  const settings = (webhook: string, key: string) => ({ webhook, key, daemonOnDemand: false });

  it('holds the call without its secrets, and is answered over the wire', async () => {
    const { queue, keyFile } = desk();
    const token = `ghp_${'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}`;
    const question = asked(queue, `git push https://x:${token}@github.com/a/b`);
    const bodies: string[] = [];
    const server = createServer((request, response) => {
      let text = '';
      request.on('data', (piece) => {
        text += String(piece);
      });
      request.on('end', () => {
        bodies.push(text);
        response.end(hmac(answerTo(JSON.parse(text) as Question)));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const over = new AbortController();
    webhookAsker(
      settings(`http://127.0.0.1:${port}/ask`, keyFile),
      queue,
      machineHost,
    )?.(question, over.signal);
    expect(await queue.wait(question, AbortSignal.timeout(20_000))).toMatchObject({
      approved: true,
      by: 'webhook',
    });
    expect(bodies[0]).not.toContain(token);
    expect(JSON.parse(bodies[0]!)).toMatchObject({
      id: question.id,
      digest: question.digest,
      tool: 'run_command',
    });
  });

  it('goes to no other machine without TLS, and nowhere the operator does not list', async () => {
    const { queue, question, keyFile } = desk();
    const said: string[] = [];
    const signal = new AbortController().signal;
    const sent: string[] = [];
    const host = {
      ...machineHost,
      env: (name: string) => (name === 'HARNESS_HOOK_WEBHOOK_ALLOWLIST' ? 'ops.example.com' : undefined),
      http: (request: { url: string }) => {
        sent.push(request.url);
        return Promise.resolve({ status: 202, headers: {}, body: '' });
      },
    };
    for (const url of ['http://ops.example.com/x', 'https://evil.example.com/x', 'https://ops.example.com/x'])
      webhookAsker(settings(url, keyFile), queue, host, (text) => said.push(text))?.(question, signal);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(sent).toEqual(['https://ops.example.com/x']);
    expect(said).toHaveLength(2);
    expect(posted(question, machineHost)).toMatchObject({ asks: [{ rule: 'user/pushes' }] });
  });
});
