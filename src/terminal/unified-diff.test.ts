import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unifiedDiff } from './unified-diff.ts';

const hasPatch = spawnSync('patch', ['--version']).status === 0;

describe('a unified diff', () => {
  it('shows what changes with three lines around it', () => {
    expect(unifiedDiff('f', 'a\nb\nc\nd\ne\n', 'a\nb\nc\nd\nX\ne\n')).toBe(
      '--- f\n+++ f\n@@ -2,4 +2,5 @@\n b\n c\n d\n+X\n e',
    );
    expect(unifiedDiff('f', null, 'a')).toBe(
      '--- /dev/null\n+++ f\n@@ -0,0 +1,1 @@\n+a\n\\ No newline at end of file',
    );
    expect(unifiedDiff('f', 'a', 'a')).toBe('');
  });

  it.skipIf(!hasPatch)('is what patch makes the new text of', () => {
    const dir = mkdtempSync(join(tmpdir(), 'harness-diff-'));
    const line = fc.constantFrom('a', 'b', 'c', '', '  {', '}\r');
    const text = fc
      .tuple(fc.array(line, { minLength: 1, maxLength: 14 }), fc.constantFrom('', '\n'))
      .map(([lines, end]) => lines.join('\n') + end)
      .filter((made) => made !== '');
    try {
      fc.assert(
        fc.property(text, text, (before, after) => {
          if (before === after) return;
          writeFileSync(join(dir, 'f'), before);
          const input = `${unifiedDiff('f', before, after)}\n`;
          execFileSync('patch', ['--binary', '-s', '-p0', 'f'], { cwd: dir, input });
          expect(readFileSync(join(dir, 'f'), 'utf8')).toBe(after);
        }),
        { numRuns: 60, seed: 15 },
      );
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  });
});
