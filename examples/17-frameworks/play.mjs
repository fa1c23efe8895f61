// What the programs have in common: a scripted model, the policy of this folder, a tool, and what came of it.
import { cpSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readTape } from 'harness-hooks/tape';
import { startModelServer } from 'harness-hooks/testing';

const CALLS = ['hello', 'forbidden', 'rewrite me', 'a secret', 'ask me'];
const LOOKED_FOR = [
  'not this word',
  'echo: rewritten',
  'echo: a [redacted]',
  'echo: a secret',
  'is that so?',
];

/** `run` is the program: it gets the folder of the policy, the address of the model and the tool, and gives the model's last word. */
export async function play(run, name = 'echo') {
  const folder = mkdtempSync(join(tmpdir(), 'harness-example-'));
  cpSync(join(import.meta.dirname, '.harness'), join(folder, '.harness'), { recursive: true });
  const calls = CALLS.map((text) => ({ tool_calls: [{ name, args: { text } }] }));
  const model = await startModelServer({ script: { completions: [...calls, { text: 'Done.' }] } });
  const ran = [];
  const echo = async ({ text }) => {
    ran.push(text);
    return `echo: ${text}`;
  };
  const answer = await run({ folder, url: model.url, echo });
  await model.close();
  const read = JSON.stringify(model.requests());
  console.log(`the tool ran with: ${ran.join(', ')}`);
  for (const words of LOOKED_FOR)
    console.log(`the model read "${words}": ${read.includes(words) ? 'yes' : 'no'}`);
  console.log(`on the tape: ${verdicts(join(folder, '.harness/runs')).join(', ')}`);
  console.log(`it said: ${answer}`);
  process.exit();
}

function verdicts(runs) {
  return readdirSync(runs)
    .filter((file) => file.endsWith('.jsonl'))
    .flatMap((file) => [...readTape(join(runs, file)).entries])
    .flatMap(({ record }) => (record.type === 'call' ? [record.verdict] : []));
}
