import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hookFile, tempProject } from '../../../test/support/temp-project.ts';
import { loadProject } from '../project.ts';
import { markdownReader } from './read-project.ts';

const GOOD = hookFile(
  'def handle(event, payload):\n    return block("no") if payload["name"] == "x" else allow()',
  'event: tool.pre\npriority: 10\nwhen: payload["name"] in ["x", "y"]\ntests: [{name: a, payload: {name: x}, expect: block}]',
);

/** The good file with a piece of it replaced by something else. */
const damaged = fc
  .tuple(
    fc.nat(GOOD.length),
    fc.nat(12),
    fc.oneof(
      fc.string({ maxLength: 8, unit: 'binary' }),
      fc.constantFrom(
        '---\n',
        '\t',
        '\n',
        ': ',
        '"',
        "'",
        '|',
        '>',
        '&a',
        '*a',
        '!!',
        '{',
        '[',
        '#',
        '\0',
        '\u2028',
        '🙂',
      ),
    ),
  )
  .map(([at, length, text]) => GOOD.slice(0, at) + text + GOOD.slice(at + length));

describe('whatever is in a hook file', () => {
  it('it is a hook, or a stand-in with an error; never an exception and never nothing', async () => {
    const dir = tempProject({ '.harness/hooks/guard.md': GOOD });
    await fc.assert(
      fc.asyncProperty(damaged, async (text) => {
        writeFileSync(join(dir, '.harness/hooks/guard.md'), text);
        const project = await loadProject(dir, { readers: [markdownReader] });
        expect(project.hooks.map((hook) => hook.name)).toContain('guard');
        const errors = project.problems.filter((problem) => problem.severity === 'error');
        const standIn = project.hooks.some((hook) => hook.description?.startsWith('Could not be loaded'));
        expect(standIn).toBe(errors.length > 0);
        for (const { position } of project.problems) {
          const lines = text.split('\n');
          expect(position?.line).toBeGreaterThanOrEqual(1);
          expect(position?.line).toBeLessThanOrEqual(lines.length);
        }
      }),
      { numRuns: 200 },
    );
  });
});
