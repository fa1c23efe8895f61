/** The rest of the fault matrix: agent, event, fault and fail mode, each with real processes. */
import { describe, expect, it } from 'vitest';
import { checkCell } from './check-cell.ts';
import { cells, isQuick } from './fault-cells.ts';

const REST = (await cells()).filter((cell) => !isQuick(cell));

describe('the rest of the fault matrix', () => {
  it.concurrent.each(
    REST.map((cell) => [cell.adapter.agent, cell.row.native, cell.fault.name, cell.fail, cell] as const),
  )('%s, %s, %s, fail %s: the required answer', async (_agent, _event, _fault, _fail, cell) => {
    expect(await checkCell(cell)).toBeNull();
  });
});
