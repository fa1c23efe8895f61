import { describe, expect, it } from 'vitest';
import { loadProject } from '../../src/frontends/project.ts';
import { replayTape } from '../../src/tape/replay.ts';
import { decisions, hook } from '../support/plain-hook.ts';
import { recordsOf, taped, tapedProject, textOf } from '../support/taped.ts';
import { hookFile, loadHooks } from '../support/temp-project.ts';

const COUNT = hookFile(
  `def handle(event, payload):
    n = metrics.incr("calls")
    seen = cache.get("seen", 0)
    cache.set("seen", seen + 1)
    ctx.set("id", uuid())
    log("call %d %s" % (n, payload.get("name")), at=str(time.now()))
    if seen > 1:
        return block("seen %d times, id %s" % (seen, ctx.get("id")))
    return modify({"note": str(seen)})`,
);

describe('a replay', () => {
  it('first try', async () => {
    const project = await loadHooks({ count: COUNT });
    const { path, tape, engine } = tapedProject(project);
    for (const name of ['a', 'b', 'c', 'd'])
      await engine.decide('tool.pre', { name, args: { x: 1 }, id: name });
    tape.close();
    console.log(textOf(path));
    const report = await replayTape(path, { hooks: project.hooks });
    console.log(JSON.stringify(report.differences, null, 1));
    expect(report).toMatchObject({ decisions: 4, differences: [] });
    const bare = await replayTape(path);
    expect(bare.differences).toEqual([]);
    expect(bare.decisions).toBe(4);
  });
});
