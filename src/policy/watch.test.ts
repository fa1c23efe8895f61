import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { hookFile, tempProject } from '../../test/support/temp-project.ts';
import { machineHost } from '../base/host.ts';
import { Engine } from '../hooks/engine.ts';
import { Registry } from '../hooks/registry.ts';
import { RunState } from '../hooks/run-state.ts';
import { type Reload, type WatchOptions, watchProject } from './watch.ts';

const HOOKS = '.harness/hooks';
const blocking = (reason: string) => hookFile(`def handle(event, payload):\n    return block("${reason}")`);

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** A watched project, a way to wait for its next reload, and one to ask what is in force. */
function watched(files: Record<string, string>, options: Partial<WatchOptions> = {}) {
  const dir = tempProject(files);
  const registry = new Registry();
  const reloads: Reload[] = [];
  let wake: (() => void) | null = null;
  const stop = watchProject(dir, {
    replaceAll: (hooks) => registry.replaceAll(hooks),
    onReload: (reload) => {
      reloads.push(reload);
      wake?.();
    },
    settleMs: 20,
    ...options,
  });
  stops.push(stop);
  const next = async (): Promise<Reload> => {
    while (reloads.length === 0) await new Promise<void>((done) => (wake = done));
    return reloads.shift()!;
  };
  const engine = new Engine({ registry, host: machineHost, run: new RunState() });
  const reason = async () => (await engine.decide('tool.pre', { id: '1', name: 'x', args: {} })).reason;
  return { dir, next, reason, stop, reloads, file: (name: string) => join(dir, HOOKS, name) };
}

describe('[C054] hot reload', () => {
  it('puts a changed, a new and a removed file in force', async () => {
    const { next, reason, file } = watched({ [`${HOOKS}/b.md`]: blocking('one') });
    expect(await next()).toMatchObject({ inForce: true });
    expect(await reason()).toBe('one');

    writeFileSync(file('b.md'), blocking('two'));
    await next();
    expect(await reason()).toBe('two');

    writeFileSync(file('a.md'), blocking('first'));
    await next();
    expect(await reason()).toBe('first');

    rmSync(file('a.md'));
    rmSync(file('b.md'));
    await next();
    expect(await reason()).toBe(null);
  });

  it('keeps the last good set after a broken edit, says why, and takes the repair', async () => {
    const { next, reason, file } = watched({
      [`${HOOKS}/a.md`]: blocking('good'),
      [`${HOOKS}/b.md`]: blocking('other'),
    });
    await next();
    writeFileSync(file('a.md'), '---\nevent: tool.pre\npriority: [\n---\n');
    const broken = await next();
    expect(broken.inForce).toBe(false);
    expect(broken.project.problems[0]?.message).toContain('parse hook a.md: yaml');
    expect(await reason()).toBe('good');
    writeFileSync(file('a.md'), blocking('repaired'));
    expect(await next()).toMatchObject({ inForce: true });
    expect(await reason()).toBe('repaired');
  });

  it('notices files that are written beside and renamed over, as editors do', async () => {
    const { next, reason, file } = watched({ [`${HOOKS}/a.md`]: blocking('one') });
    await next();
    writeFileSync(file('.a.md.swp'), blocking('two'));
    renameSync(file('.a.md.swp'), file('a.md'));
    await next();
    expect(await reason()).toBe('two');
  });

  it('notices a folder that appears later, and harness.md', async () => {
    const { dir, next, reason } = watched({});
    await next();
    mkdirSync(join(dir, '.harness'));
    await new Promise((done) => setTimeout(done, 60));
    mkdirSync(join(dir, HOOKS));
    writeFileSync(join(dir, HOOKS, 'a.md'), blocking('late'));
    await next();
    expect(await reason()).toBe('late');
    rmSync(join(dir, HOOKS, 'a.md'));
    await next();
    const inline =
      'hooks:\n  - {handler: h, event: tool.pre, priority: 1, script: "handle = lambda e, p: block(\'inline\')"}';
    writeFileSync(join(dir, 'harness.md'), `---\n${inline}\n---\n`);
    await next();
    expect(await reason()).toBe('inline');
  });

  it('takes a burst of writes as one change', async () => {
    const { next, reason, file, reloads } = watched({ [`${HOOKS}/a.md`]: blocking('0') }, { settleMs: 60 });
    await next();
    for (let i = 1; i <= 20; i++) writeFileSync(file('a.md'), blocking(String(i)));
    await next();
    expect(await reason()).toBe('20');
    expect(reloads).toEqual([]);
  });

  it('reports a set that is refused, and goes on', async () => {
    const errors: unknown[] = [];
    let refuse = true;
    const { next, file } = watched(
      { [`${HOOKS}/a.md`]: blocking('one') },
      {
        replaceAll: () => {
          if (refuse) throw new Error('refused');
        },
        onError: (error) => errors.push(error),
      },
    );
    while (errors.length === 0) await new Promise((done) => setTimeout(done, 10));
    expect(String(errors[0])).toContain('refused');
    refuse = false;
    writeFileSync(file('a.md'), blocking('two'));
    expect(await next()).toMatchObject({ inForce: true });
  });

  it('ends when it is stopped', async () => {
    const { next, file, stop, reloads } = watched({ [`${HOOKS}/a.md`]: blocking('one') });
    await next();
    stop();
    writeFileSync(file('a.md'), blocking('two'));
    await new Promise((done) => setTimeout(done, 120));
    expect(reloads).toEqual([]);
  });
});
