/** One cell of the fault matrix held against what it requires. */
import { type Cell, required, runCell, withoutReason } from './fault-cells.ts';

/** Null if the answer is the required one; otherwise both, for the test to show. */
/** On a loaded machine the launcher may reach its deadline before it meets the fault. Such a cell is played again, at most twice. */
const TRIES = 3;

export async function checkCell(cell: Cell): Promise<object | null> {
  let found = await checkOnce(cell);
  for (let tries = 1; tries < TRIES && found?.late; tries++) found = await checkOnce(cell);
  return found;
}

async function checkOnce(cell: Cell) {
  const { fault, fail } = cell;
  const ran = await runCell(cell);
  const wanted = required(cell, ran.stderr);
  const stdout = fault.required === 'policy' ? withoutReason(ran.stdout) : ran.stdout;
  const got = { stdout, exitCode: ran.exitCode };
  const wrong = JSON.stringify(got) !== JSON.stringify(wanted);
  const silent = fault.required === 'launcher' && fail === 'open' && !ran.stderr.includes('GUARD OFF');
  const other = fault.required === 'launcher' && fault.problem?.test(ran.stderr) === false;
  const late = other && !wrong && !silent && ran.stderr.includes('no decision within');
  return wrong || silent || other ? { wanted, got, stderr: ran.stderr, silent, other, late } : null;
}
