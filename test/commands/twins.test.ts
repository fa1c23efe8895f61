/**
 * One command in two shells: what PowerShell does is judged as what bash does. Data, never executed; see README.md.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { judge, verdictOf } from './score.ts';

interface Twins {
  readonly id: string;
  readonly bash: string;
  readonly powershell: string;
  readonly expect: 'stop' | 'pass';
}

const FILE = new URL('twins/powershell.jsonl', import.meta.url);
const TWINS = readFileSync(FILE, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Twins);

describe('twins of bash and PowerShell', () => {
  it('are at least 150 pairs, each PowerShell command once', () => {
    expect(TWINS.length).toBeGreaterThanOrEqual(150);
    expect(new Set(TWINS.map(({ powershell }) => powershell)).size).toBe(TWINS.length);
    expect(new Set(TWINS.map(({ id }) => id)).size).toBe(TWINS.length);
  });

  it.each(TWINS.map((one) => [one.powershell, one] as const))('get the same verdict: %s', (_, one) => {
    const [bash, powershell] = [
      verdictOf(judge({ command: one.bash })),
      verdictOf(judge({ command: one.powershell, shell: 'powershell' })),
    ];
    expect(powershell, one.bash).toBe(bash);
    expect(powershell === 'pass' ? 'pass' : 'stop').toBe(one.expect);
  });
});
