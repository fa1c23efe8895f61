import { describe, expect, it } from 'vitest';
import { hookFile, loadHooks, tempProject } from '../../../test/support/temp-project.ts';
import { Engine } from '../../engine/engine.ts';
import { RunState } from '../../engine/run-state.ts';
import { MemoryRunStore } from '../../engine/stores/memory-run-store.ts';
import type { RunStore, Stored } from '../../engine/stores/run-store.ts';
import { machineHost } from '../../machine/host.ts';
import { FileRunStore } from './file-run-store.ts';
import { loadRunState, saveRunState } from './run-state-store.ts';

function given<T>(stored: Stored<T> | Promise<Stored<T>>): T {
  if (stored instanceof Promise || !stored.ok) throw new Error('want a value');
  return stored.value;
}

const open = (store: RunStore) => given(loadRunState(store, 's1'));

describe('run state between processes', () => {
  it('a guard that counts counts on in the next process', async () => {
    const { hooks } = await loadHooks({
      limit: hookFile(
        `def handle(event, payload):
    seen = cache.get("seen", [])
    cache.set("seen", seen + [payload["name"]])
    if metrics.incr("calls") > 2:
        return block("call %d after %s" % (metrics.get("calls"), seen))
    return allow()`,
      ),
    });
    const dir = tempProject();
    const outcomes = [];
    for (const name of ['a', 'b', 'c']) {
      // Each round is a process of its own: nothing but the folder is shared.
      const store = new FileRunStore(dir);
      const loaded = given(
        loadRunState(store, 's1', (shared) => new RunState(undefined, undefined, undefined, shared)),
      );
      const engine = new Engine({ hooks, host: machineHost, run: loaded.run });
      const outcome = await engine.decide('tool.pre', { id: name, name, args: {} });
      given(saveRunState(store, 's1', loaded, outcome.effects));
      outcomes.push([outcome.action, outcome.reason]);
    }
    expect(outcomes).toEqual([
      ['allow', null],
      ['allow', null],
      ['block', 'call 3 after ["a", "b"]'],
    ]);
    expect(given(loadRunState(new FileRunStore(dir), 'another')).run.metrics.size).toBe(0);
  });

  it('what two processes count at once adds up, and what one sets is what was set last', () => {
    const store = new MemoryRunStore();
    const [one, other] = [open(store), open(store)];
    one.run.metrics.set('calls', 2);
    one.run.metrics.set('level', 5);
    other.run.metrics.set('calls', 3);
    other.run.metrics.set('level', 7);
    const set = [{ kind: 'metric', hook: 'h', name: 'level', op: 'set', value: 0 }] as const;
    given(saveRunState(store, 's1', one, set));
    given(saveRunState(store, 's1', other, set));
    expect(Object.fromEntries(open(store).run.metrics)).toEqual({ calls: 5, level: 7 });
  });

  it('writes of the cache what was changed, and nothing else', () => {
    const store = new MemoryRunStore();
    const first = open(store);
    for (const key of ['a', 'b', 'c']) first.run.cache.set(key, { of: key });
    given(saveRunState(store, 's1', first));
    const [one, other] = [open(store), open(store)];
    one.run.cache.set('a', 1);
    one.run.cache.delete('b');
    other.run.cache.set('d', 4);
    // Changed in its inside, without being set again.
    (other.run.cache.get('c') as { of: string }).of = 'other';
    given(saveRunState(store, 's1', one));
    given(saveRunState(store, 's1', other));
    expect(Object.fromEntries(open(store).run.cache)).toEqual({ a: 1, c: { of: 'other' }, d: 4 });
  });

  it('says why it cannot be loaded or saved', () => {
    const store = new FileRunStore(tempProject({ 'sessions/s1.jsonl': 'garbage\n' }));
    expect(loadRunState(store, 's1')).toMatchObject({ ok: false, error: { code: 'STORE_FAILED' } });
    const loaded = open(new MemoryRunStore());
    loaded.run.cache.set('k', 1);
    expect(saveRunState(store, 's1', loaded)).toMatchObject({ ok: false, error: { code: 'STORE_FAILED' } });
  });
});
