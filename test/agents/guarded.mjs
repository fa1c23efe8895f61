// A scenario with a policy: its files in the project, and the guard line of our launcher in the place of the recording hook.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { denyAnswer } from '../../dist/adapters/deny.js';
import { guardLine } from '../../dist/adapters/guard-line.js';
import { loadAdapter } from '../../dist/adapters/load-adapter.js';
import { openCodePlugin } from '../../dist/adapters/opencode/plugin.js';

const ENTRY = join(dirname(fileURLToPath(import.meta.url)), '../../dist/cli/hook.cjs');
const DEADLINE_MS = 5000;
const FAULT_DEADLINE_MS = 1000;

/** What stands in the launcher's place; null: nothing. */
const FAULTS = {
  killed: "process.kill(process.pid, 'SIGKILL');",
  stopped: "process.kill(process.pid, 'SIGSTOP');",
  hanging: 'setInterval(() => {}, 1000);',
  'empty-launcher': '',
  'missing-launcher': null,
};

/** For the agents whose hooks are code: the file that calls the launcher. */
const PLUGINS = { opencode: openCodePlugin };

export async function guarded({ policy, fault, only, settings = {} }, agent, { cwd, root, write }) {
  const adapter = await loadAdapter(agent.adapter);
  for (const [path, text] of Object.entries(policy)) write(join(cwd, path), text);
  if (fault === 'deleted-policy') rmSync(join(cwd, '.harness'), { recursive: true });
  const broken = join(root, 'broken-launcher.cjs');
  if (typeof FAULTS[fault] === 'string') write(broken, FAULTS[fault]);
  const faulty = only?.map((name) => agent.events[name]) ?? agent.guarded;
  const isBroken = (event) => fault in FAULTS && faulty.includes(event);
  return {
    events: agent.guarded,
    ...settings,
    plugin: PLUGINS[agent.adapter]?.({
      launch: (event) => [
        ...[process.execPath, isBroken(event) ? broken : ENTRY, agent.adapter, event],
        ...['--dir', cwd, '--deadline', '4000', '--mark'],
      ],
      deadlineMs: fault in FAULTS ? FAULT_DEADLINE_MS * 3 : DEADLINE_MS,
      help: 'LAUNCHER_GONE',
    }),
    hookLine: (event) => {
      const isFaulty = isBroken(event);
      const row = adapter.events.find(({ native }) => native === event);
      const { stdout, exitCode } = denyAnswer(adapter, row, 'LAUNCHER_GONE');
      return guardLine({
        node: process.execPath,
        entry: isFaulty ? broken : ENTRY,
        agent: agent.adapter,
        event,
        scope: { dir: cwd },
        deadlineMs: isFaulty ? FAULT_DEADLINE_MS : DEADLINE_MS,
        deny: stdout,
        denyExit: exitCode,
      });
    },
  };
}

/** Event and action of every decision on the tapes of a folder. */
export function decisionsOn(folder) {
  let files;
  try {
    files = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
  } catch {
    return [];
  }
  return files
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').trimEnd().split('\n').slice(1))
    .map((line) => JSON.parse(line).record)
    .filter((record) => record?.type === 'decision')
    .map(({ in: fired, out }) => ({ event: fired.event, action: out.action }));
}
