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

/** What a policy folder has under a design: `harness.md`, and hooks by name. */
export interface DesignFiles {
  readonly settings: JsonObject;
  readonly hooks?: Readonly<Record<string, string>>;
}

export type Design = (suite: Suite) => DesignFiles;

const sourcesOf = ({ tools }: Suite): JsonObject =>
  Object.fromEntries(
    Object.entries(tools).flatMap(([name, { source }]) => (source === undefined ? [] : [[name, source]])),
  );

/** A hook as a file; this module runs outside of tests too, where their helpers do not. */
const hookFile = (script: string, fields: string) => `---\n${fields}\n${stringify({ script })}---\n`;

/** Asks about every call that does not only look, once a condition holds. */
const asking = (condition: string) =>
  hookFile(
    `def handle(event, payload):
    if ${condition} and not re.search("^(read|get|list|search|find|web)_", payload["name"]):
        return ask("untrusted text was read")
    return allow()`,
    'event: tool.pre\npriority: 10',
  );

/** Words that products look for in results. */
const MARKERS =
  'ignore (all|any|the|previous|prior)|disregard|system (prompt|message|override)|new instructions|you must|as an ai|assistant:|do not (tell|mention)|important:|<important>|secretly';

const MARKING = hookFile(
  `def handle(event, payload):
    if re.search("(?i)${MARKERS}", payload["content"]):
        cache.set("marked", True)
    return allow()`,
  'event: tool.post\npriority: 10',
);

export const DESIGNS: Readonly<Record<string, Design>> = {
  none: () => ({ settings: {} }),
  marker: () => ({ settings: {}, hooks: { 'mark.md': MARKING, 'ask.md': asking('cache.get("marked")') } }),
  watermark: (suite) => ({
    settings: { sources: sourcesOf(suite) },
    hooks: { 'ask.md': asking('"untrusted" in flow.labels()') },
  }),
  flow: (suite) => ({ settings: { use: { flow: 'enforce' }, sources: sourcesOf(suite) } }),
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
    const { settings, hooks = {} } = design(suite);
    mkdirSync(join(dir, '.harness', 'hooks'), { recursive: true });
    writeFileSync(join(dir, '.harness', 'harness.md'), `---\n${stringify(settings)}---\n`);
    for (const [name, text] of Object.entries(hooks))
      writeFileSync(join(dir, '.harness', 'hooks', name), text);
    const places = { managed: null, user: null };
    return await use(await openPolicy(dir, { host: machineHost, places, allowEmpty: true }));
  } finally {
    remove(dir);
  }
}

/** Not the temporary folder of the policy: what stands in one may go. */
const PLACE = { workspace: '/home/dev/work', cwd: '/home/dev/work' };

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
    const before = await session.decide('tool.pre', { ...PLACE, id, name, args });
    if (before.action === 'ask') questions++;
    if (before.action === 'ask' ? !agrees : !before.mayRun) return false;
    const content = typeof result === 'string' ? result : JSON.stringify(result);
    const returned = { call_id: id, name, args, is_error: false, content };
    const after = await session.decide('tool.post', { ...PLACE, ...returned });
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
