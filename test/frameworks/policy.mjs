// One policy folder for every framework, that of the example: what it blocks, rewrites, hides, redacts and asks about is what each test looks for.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readTape } from 'harness-hooks/tape';
import { startModelServer } from 'harness-hooks/testing';

/** `more`: other hooks beside them. */
export function policyFolder(more = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'harness-framework-'));
  cpSync(join(import.meta.dirname, 'example/.harness'), join(dir, '.harness'), { recursive: true });
  for (const [name, text] of Object.entries(more)) writeFileSync(join(dir, '.harness/hooks', name), text);
  return dir;
}

/** A hook that gives back what this says. */
export function hook(event, says) {
  return `---\nevent: ${event}\npriority: 20\nscript: |\n  def handle(event, payload):\n      return ${says}\n---\n`;
}

/** A hook that gives back what this says of `n`, which counts how often it was asked. */
export function counting(event, says) {
  const count = 'n = cache.get("n", default = 0) + 1\n      cache.set("n", n)\n';
  return hook(event, says).replace('return', `${count}      return`);
}

/** Each text is said to the tool in a turn of its own; then the model is done. */
export function modelFor(texts, name = 'echo') {
  const completions = texts.map((text) => ({ tool_calls: [{ name, args: { text } }] }));
  return startModelServer({ script: { completions: [...completions, { text: 'Done.' }] } });
}

export const TEXTS = ['hello', 'forbidden', 'rewrite me', 'a secret', 'ask me'];

/** What the tool may have run with, in order. */
export const RAN = ['hello', 'rewritten', 'a secret'];

/** What must be in the requests to the model, and what must not. */
export function judgeRequests(requests, assert) {
  const text = JSON.stringify(requests);
  assert.ok(text.includes('not this word'), 'the model reads why it was blocked');
  assert.ok(text.includes('echo: rewritten'), 'the model reads the result of the rewritten call');
  assert.ok(text.includes('echo: a [redacted]'), 'the model reads the redacted result');
  assert.ok(!text.includes('echo: a secret'), 'the model never reads the secret result');
  assert.ok(text.includes('is that so?'), 'the model reads why nobody approved');
}

/** The verdicts on the tape, in order. */
export const verdicts = (dir) => calls(dir).map(({ verdict }) => verdict);

export const VERDICTS = ['ran', 'blocked', 'ran', 'ran', 'denied'];

/** A policy that lets a prompt pass and no call of a tool. */
export function blockEverything() {
  const dir = mkdtempSync(join(tmpdir(), 'harness-framework-'));
  mkdirSync(join(dir, '.harness/hooks'), { recursive: true });
  writeFileSync(join(dir, '.harness/hooks/none.md'), hook('tool.pre', 'block("no tool runs here")'));
  return dir;
}

/** The records of calls on the tape, in order. */
export function calls(dir) {
  const folder = join(dir, '.harness/runs');
  return readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) => [...readTape(join(folder, name)).entries])
    .flatMap(({ record }) => (record.type === 'call' ? [record] : []));
}

export const AT_PROVIDER = 'not judged: runs at the provider';
