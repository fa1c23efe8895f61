/**
 * Every built-in, method and operator with huge arguments, in processes with a small heap and a bound on CPU time: each call
 * ends with a value or an error of the script, and no process dies.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bundleChild, type ChildProgram } from './child.ts';

const SHARES = 4;
let child: ChildProgram;

beforeAll(async () => {
  child = await bundleChild('huge-run');
});
afterAll(() => child?.remove());

for (let share = 0; share < SHARES; share++) {
  it(`huge arguments, part ${share + 1} of ${SHARES}`, async () => {
    const flags = ['--max-old-space-size=768'];
    const result = await child.run({ flags, args: [String(share), String(SHARES)], cpuSeconds: 200 });
    expect(result.stdout).not.toMatch(/^(HOST|FAILED)/m);
    expect(result.stderr).toBe('');
    expect(result.stdout).toMatch(/^done .*eval=\d+/m);
    expect(result.code).toBe(0);
  });
}
