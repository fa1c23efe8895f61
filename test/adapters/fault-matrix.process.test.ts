/** The fault matrix, its quick part: the faults that take no waiting, at every event of every agent. */
import { describe, expect, it } from 'vitest';
import { checkCell } from './check-cell.ts';
import { cells, isQuick, sampleOf } from './fault-cells.ts';

const ALL = await cells();
const QUICK = ALL.filter(isQuick);

describe('the fault matrix', () => {
  it('has a sample payload for every event of every agent', () => {
    for (const { adapter, row } of ALL) expect(sampleOf(adapter, row)).toBeTypeOf('object');
  });

  it.concurrent.each(
    QUICK.map((cell) => [cell.adapter.agent, cell.row.native, cell.fault.name, cell.fail, cell] as const),
  )('%s, %s, %s, fail %s: the required answer', async (_agent, _event, _fault, _fail, cell) => {
    expect(await checkCell(cell)).toBeNull();
  });
});
