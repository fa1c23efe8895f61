/** One cell of the fault matrix held against what it requires. */
import { type Cell, required, runCell, withoutReason } from './fault-cells.ts';

/** Null if the answer is the required one; otherwise both, for the test to show. */
export async function checkCell(cell: Cell): Promise<object | null> {
  const { fault, fail } = cell;
  const ran = await runCell(cell);
  const wanted = required(cell, ran.stderr);
  const stdout = fault.required === 'policy' ? withoutReason(ran.stdout) : ran.stdout;
  const got = { stdout, exitCode: ran.exitCode };
  const wrong = JSON.stringify(got) !== JSON.stringify(wanted);
  const silent = fault.required === 'launcher' && fail === 'open' && !ran.stderr.includes('GUARD OFF');
  const other = fault.required === 'launcher' && fault.problem?.test(ran.stderr) === false;
  return wrong || silent || other ? { wanted, got, stderr: ran.stderr, silent, other } : null;
}
