import { describe, expect, it } from 'vitest';
import { tempProject } from '../../../test/support/temp-project.ts';
import { MemoryRunStore } from '../../engine/stores/memory-run-store.ts';
import { openPolicy } from '../open-policy.ts';

class SyncingStore extends MemoryRunStore {
  on: boolean | null = null;

  syncChanges(on: boolean): void {
    this.on = on;
  }
}

describe('tape.sync', () => {
  it.each([
    ['true', true],
    ['false', false],
  ])('%s in the policy says whether the store syncs what guards count', async (setting, on) => {
    const dir = tempProject({ '.harness/harness.md': `---\nname: p\ntape:\n  sync: ${setting}\n---\n` });
    const store = new SyncingStore();
    const places = { user: null, managed: null };
    const policy = await openPolicy(dir, { store, places, allowEmpty: true });
    expect(policy.settings.tape.sync).toBe(on);
    expect(store.on).toBe(on);
  });
});
