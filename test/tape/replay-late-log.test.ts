/** Replay of a hook that logs, never answers and ends by the clock, while the hook that emitted its event goes on. */
import { expect, it } from 'vitest';
import { replayTape } from '../../src/tape/replay.ts';
import { hookOf, type Sketch, session } from '../support/random-sessions.ts';

const common = {
  mode: 'enforce',
  onError: 'block',
  onWhenError: 'skip',
  when: 'always',
  priority: 0,
} as const;

it('a log line of a hook that timed out is the same on replay in the hook that emitted its event', async () => {
  const sketches: readonly Sketch[] = [
    { ...common, event: 'tool.pre', steps: ['emit'], ending: 'allow' },
    { ...common, event: 'custom.note', steps: ['log'], ending: 'never' },
  ];
  const hooks = sketches.map((sketch, at) => ({ ...hookOf(sketch, at), timeoutMs: at === 0 ? 60_000 : 5 }));
  const path = await session(hooks, [{ event: 'tool.pre', name: 'rm', together: false, abort: 'no' }]);
  expect((await replayTape(path, { hooks })).differences).toEqual([]);
  expect((await replayTape(path)).differences).toEqual([]);
});
