import { describe, expect, it } from 'vitest';
import { tempProject } from '../../../../test/support/temp-project.ts';
import { RunState } from '../../../engine/run-state.ts';
import type { HookContext } from './context.ts';
import { ReminderInjector } from './injector.ts';
import { HookRegistry } from './registry.ts';
import { createDefaultRegistry } from './reminder-templates.ts';
import { HookRuntime } from './runtime.ts';

const call: HookContext = {
  event: 'tool.pre',
  turnIndex: 0,
  toolName: 'write',
  toolInput: { file_path: '/srv/prod/x' },
};

async function runCommand(command: string, { timeoutMs = 5000, cwd = '.' } = {}) {
  const registry = new HookRegistry().register('tool.pre', {
    type: 'command',
    name: 'policy-check',
    command,
    timeoutMs,
  });
  const reminders = new ReminderInjector(createDefaultRegistry());
  const run = new RunState(undefined, { id: 's', transcriptPath: null, cwd });
  const result = await new HookRuntime({ registry, reminders, run }).run(call);
  return { result, told: reminders.drain({ turnIndex: 0 }).join('\n') };
}

describe('a command as a registry hook', () => {
  it('gets the context as JSON on stdin', async () => {
    const { result } = await runCommand(`grep -q '"toolInput":{"file_path":"/srv/prod/x"}' && exit 3`);
    expect(result).toMatchObject({ continue: false, blockedReason: 'Hook exited with code 3' });
  });

  it('allows with exit 0, and its text is told to the model', async () => {
    const { result, told } = await runCommand('echo all good');
    expect(result).toEqual({ continue: true });
    expect(told).toContain('Hook "policy-check" says:\nall good');
  });

  it('blocks with any other exit, stderr being the reason', async () => {
    const { result, told } = await runCommand('echo off limits >&2; exit 1');
    expect(result).toEqual({ continue: false, blockedHook: 'policy-check', blockedReason: 'off limits' });
    expect(told).toContain('blocked the action: off limits');
  });

  it('answers with a JSON object, which counts more than the exit code', async () => {
    expect((await runCommand(`echo '{"continue":false,"reason":"r"}'`)).result).toMatchObject({
      blockedReason: 'r',
    });
    const { result, told } = await runCommand(`echo '{"additionalContext":"fresh data"}'; exit 1`);
    expect(result).toEqual({ continue: true });
    expect(told).toContain('Context from hook "policy-check":\nfresh data');
  });

  it('[C033] is killed and blocks when its time is up', async () => {
    const { result } = await runCommand('sleep 30', { timeoutMs: 100 });
    expect(result).toMatchObject({
      continue: false,
      blockedReason: expect.stringContaining('timed out after'),
    });
  });

  it('runs in the folder of the session', async () => {
    const cwd = tempProject({ 'hooks/check.sh': 'echo "from $(basename "$PWD")" >&2; exit 1\n' });
    const { result } = await runCommand('sh ./hooks/check.sh', { cwd });
    expect(result.blockedReason).toBe(`from ${cwd.split('/').pop()}`);
  });
});
