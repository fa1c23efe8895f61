/**
 * Calls the built-ins of scripts at their worst on one back end, under narrow limits, and prints a line of JSON for each: how it
 * ended, the time of the processor it took, and the most memory the process has had so far. The call they belong to has real parts.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ToolContext } from '../../../src/agent/tool.ts';
import { TOOL_BUILTINS } from '../../../src/agent/tools/environment.ts';
import { ToolScriptCall } from '../../../src/agent/tools/script-call.ts';
import { RunState } from '../../../src/engine/run-state.ts';
import {
  attempt,
  compile,
  type Module,
  SourceFile,
  Thread,
  wrapJson,
} from '../../../src/exports/starlark.ts';
import { Ledger } from '../../../src/flow/ledger.ts';
import { SessionOrigins } from '../../../src/flow/session-origins.ts';
import { machineHost } from '../../../src/machine/host.ts';
import { HOOK_BUILTINS } from '../../../src/script/environment.ts';
import { call } from '../../../src/starlark/run/call.ts';
import { hostilePayload, WORST } from '../hostile-builtins.ts';
import type { Backend } from '../script.ts';

const [backend, share = '0', shares = '1', only] = process.argv.slice(2) as [
  Backend,
  string?,
  string?,
  string?,
];

const LIMITS = { steps: 10_000_000, memory: 64 * 1024 * 1024, depth: 200, intBits: 1 << 16, time: 100 };
const environment = new Map([...HOOK_BUILTINS, ...TOOL_BUILTINS]);
const collect = (globalThis as { gc?: () => void }).gc ?? (() => {});

const workspace = mkdtempSync(join(tmpdir(), 'builtins-run-'));
writeFileSync(join(workspace, 'small.txt'), 'small');
writeFileSync(join(workspace, 'large.txt'), 'x'.repeat(4_000_000));

/** What built-ins of hooks and of tools reach. */
function callOf(name: string): object {
  const run = new RunState();
  run.origins = new SessionOrigins(new Ledger('0123456789abcdef'));
  const received: unknown[] = [];
  const context = {
    host: machineHost,
    run,
    workspace,
    signal: new AbortController().signal,
    emit: async (_event: string, payload: unknown) => payload,
    log: (level: string, message: string) => run.logs.push({ level, message } as never),
    fileEdited: (path: string) => received.push(path),
    agent: {
      callTool: async (_tool: string, args: unknown) => String(JSON.stringify(args).length),
      register: async (_kind: string, spec: unknown) => received.push(JSON.stringify(spec).length),
    },
  } as unknown as ToolContext;
  const contents = { hooks: () => [], tools: () => [] };
  return Object.assign(new ToolScriptCall(name, context, LIMITS.time, ['localhost']), {
    hook: { name, contents, layer: { name: 'user', place: 'user' } },
    event: 'tool.pre',
    effect: (effect: unknown) => received.push(effect),
    addReservation: (taken: unknown) => received.push(taken),
  });
}

async function run(name: string, form: string, limits = LIMITS): Promise<void> {
  const compiled = compile(new SourceFile(name, `def f(p):\n    return ${form}\n`), { environment, backend });
  if (!compiled.ok) throw new Error(`${name}: ${JSON.stringify(compiled.errors[0])}`);
  const module = compiled.program.run(new Thread()) as Module;
  const payload = wrapJson(hostilePayload(form));
  const thread = new Thread({ limits, host: callOf(name) });
  const before = process.cpuUsage();
  const result = await attempt(thread, async () => call(thread, module.globals.get('f')!, [payload]));
  const { user, system } = process.cpuUsage(before);
  const ended = result.ok ? 'value' : result.error.kind;
  const message = result.ok ? '' : result.error.message.slice(0, 100);
  const [cpuMs, peakMb] = [(user + system) / 1000, process.resourceUsage().maxRSS / 1024].map(Math.round);
  console.log(JSON.stringify({ name, ended, message, cpuMs, peakMb }));
  collect();
}

async function all(): Promise<void> {
  // What a script may take that calls no built-in: others are measured by it.
  await run('counting', '[i for i in range(1000000000) if i < 0]', {
    ...LIMITS,
    steps: 100_000_000,
    time: Infinity,
  });
  for (const [place, [name, form]] of Object.entries(WORST).entries()) {
    if (place % Number(shares) !== Number(share)) continue;
    if (only === undefined || name === only) await run(name, form);
  }
  console.log('done');
}

void all().finally(() => rmSync(workspace, { recursive: true, force: true }));
