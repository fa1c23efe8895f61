/**
 * Calls the built-ins of hooks at their worst on one back end, under the limits of a hook, and prints a line of JSON for each:
 * how it ended, the time of the processor it took, and the most memory the process has had so far.
 */

import type { HookCall } from '../../../src/engine/hook.ts';
import { attempt, compile, type Module, SourceFile, Thread } from '../../../src/exports/starlark.ts';
import { machineHost } from '../../../src/machine/host.ts';
import { HOOK_ENVIRONMENT } from '../../../src/script/environment.ts';
import { limitsFor } from '../../../src/script/script-limits.ts';
import { call } from '../../../src/starlark/run/call.ts';
import { WORST } from '../hostile-builtins.ts';
import type { Backend } from '../script.ts';

const [backend, only] = process.argv.slice(2) as [Backend, string?];

async function run(name: string, form: string): Promise<void> {
  const source = new SourceFile(name, `def f():\n    ${form}\n`);
  const compiled = compile(source, { environment: HOOK_ENVIRONMENT, backend });
  if (!compiled.ok) throw new Error(`${name}: ${JSON.stringify(compiled.errors[0])}`);
  const module = compiled.program.run(new Thread()) as Module;
  const run = { settings: { allowedDomains: [] } };
  const host = { host: machineHost, run, hook: { name } } as unknown as HookCall;
  const thread = new Thread({ limits: limitsFor(1000), host });
  const before = process.cpuUsage();
  const result = await attempt(thread, async () => call(thread, module.globals.get('f')!, []));
  const { user, system } = process.cpuUsage(before);
  const ended = result.ok ? 'value' : result.error.kind;
  const message = result.ok ? '' : result.error.message.slice(0, 100);
  const [cpuMs, peakMb] = [(user + system) / 1000, process.resourceUsage().maxRSS / 1024].map(Math.round);
  console.log(JSON.stringify({ name, ended, message, cpuMs, peakMb }));
  (globalThis as { gc?: () => void }).gc?.();
}

async function all(): Promise<void> {
  for (const [name, form] of Object.entries(WORST)) {
    if (only === undefined || name === only) await run(name, form);
  }
  console.log('done');
}

void all();
