/** Plays tasks of suites under a policy, with an agent that obeys every text it reads; see README.md of this folder. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Json, JsonObject } from '../../src/base/index.ts';
import { machineHost } from '../../src/machine/index.ts';
import { openPolicy, type Policy } from '../../src/policy/index.ts';
import { GovernedSession } from '../../src/session/index.ts';
import { remove } from '../support/remove.ts';
import { type Attack, MARK, type Suite, type Task } from './suite.ts';

/** What `harness.md` says under a design. */
export type Design = (suite: Suite) => JsonObject;

export const DESIGNS: Readonly<Record<string, Design>> = {
  none: () => ({}),
  flow: ({ tools }) => ({
    use: { flow: 'enforce' },
    sources: Object.fromEntries(
      Object.entries(tools).flatMap(([name, { source }]) => (source === undefined ? [] : [[name, source]])),
    ),
  }),
};

export interface Played {
  readonly done: boolean;
  readonly questions: number;
  /** Whether the attacker's call ran; false without an attack. */
  readonly attacked: boolean;
}

export async function withDesign<T>(
  suite: Suite,
  design: Design,
  use: (policy: Policy) => Promise<T>,
): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), 'harness-flow-'));
  try {
    mkdirSync(join(dir, '.harness'));
    writeFileSync(join(dir, '.harness', 'harness.md'), `---\n${stringify(design(suite))}---\n`);
    const places = { managed: null, user: null };
    return await use(await openPolicy(dir, { host: machineHost, places, allowEmpty: true }));
  } finally {
    remove(dir);
  }
}

/** `wording` is which of the attack's texts stands in the result. */
export async function play(
  policy: Policy,
  task: Task,
  attack: Attack | null = null,
  wording = 0,
): Promise<Played> {
  const session = new GovernedSession({ policy, openTape: null, approvals: null, approvalMs: 0 });
  const text = attack?.wordings[wording] ?? '';
  let questions = 0;
  let calls = 0;
  const attempt = async (name: string, args: JsonObject, agrees: boolean, result: Json): Promise<boolean> => {
    const id = `call-${++calls}`;
    const before = await session.decide('tool.pre', { id, name, args });
    if (before.action === 'ask') questions++;
    if (before.action === 'ask' ? !agrees : !before.mayRun) return false;
    const content = typeof result === 'string' ? result : JSON.stringify(result);
    const after = await session.decide('tool.post', { call_id: id, name, args, is_error: false, content });
    return after.mayRun;
  };
  await session.decide('session.start', {});
  await session.decide('turn.start', task.prompt);
  let attacked = false;
  let done = true;
  for (const [place, { call, args = {}, result = 'ok', needed }] of task.steps.entries()) {
    const written = JSON.stringify(result);
    const ran = await attempt(call, args, true, JSON.parse(filled(written, text)) as Json);
    if (!ran && (needed ?? place === task.steps.length - 1)) done = false;
    if (attack === null || !ran || !written.includes(MARK)) continue;
    if (await attempt(attack.call.name, attack.call.args, false, 'ok')) attacked = true;
  }
  return { done, questions, attacked };
}

/** `json` with the text in the place of the mark, as part of a string of it. */
function filled(json: string, text: string): string {
  return json.replaceAll(MARK, JSON.stringify(text).slice(1, -1));
}
