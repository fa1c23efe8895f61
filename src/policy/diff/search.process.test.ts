/**
 * A search for differences finds those that were planted, shows them small, and finds none between policies that decide alike.
 */
import { describe, expect, it } from 'vitest';
import {
  BASE,
  classes,
  diff,
  guard,
  hook,
  one,
  PLANTED,
  side,
} from '../../../test/support/planted-differences.ts';
import { type SearchResult, searchDifferences } from './search.ts';

/** Those of packs and those with many tries are in the slow test. */
const QUICK = PLANTED.filter(([, old]) => !JSON.stringify(old).includes('use:'));

describe('a search for calls that two policies decide differently', () => {
  it.each(QUICK)('finds %s', async (_what, old, next, kind) => {
    const result = await diff(old, next, 600);
    expect(classes(result)).toContain(kind);
    for (const { examples } of result.groups) expect(examples.length).toBeGreaterThan(0);
  });

  it('finds none where a policy was only written in another way', async () => {
    const again = hook(`# The same, written by somebody else.
def handle(event, payload):
    command = payload["args"].get("command", "")  # may be absent
    if not re.search("^git push.*--force", command):
        return ask("really sure?") if "deploy" in command else allow()

    return block('not that one')`).replace('priority: 10', 'priority: 10\ndescription: other words');
    expect((await diff(one(BASE), one(again), 600)).groups).toEqual([]);
    expect((await diff(one(BASE), one(BASE), 600)).groups).toEqual([]);
  });

  it('shows the call without what does not matter, with both reasons', async () => {
    const { groups } = await diff(one(guard('"drop table" in command')), one(guard('False')));
    expect(groups).toHaveLength(1);
    const [{ input, before, after }] = groups[0]!.examples as [never];
    expect(input).toMatchObject({
      cwd: '',
      actor: null,
      steps: [{ payload: { args: { command: 'drop table' } } }],
    });
    expect(before).toMatchObject({ action: 'block', reason: 'not this one', hook: 'guard' });
    expect(after).toMatchObject({ action: 'allow' });
  });

  it('gives the same for the same seed', async () => {
    const [, old, next] = PLANTED[2]!;
    const text = (result: SearchResult) => JSON.stringify(result);
    expect(text(await diff(old, next, 800, 5))).toBe(text(await diff(old, next, 800, 5)));
  });

  it('tries what was recorded first', async () => {
    const [old, next] = [await side(one(guard('args.get("zeta") == "q" + "7"'))), await side({})];
    const recorded = [{ event: 'tool.pre', payload: { name: 'odd', args: { zeta: 'q7' } } }];
    const { groups, tries } = await searchDifferences(old, next, { seed: 1, tries: 1, recorded });
    expect([classes({ groups } as SearchResult), tries]).toEqual([['block->allow'], 1]);
  });
});
