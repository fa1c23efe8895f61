/** The table that says what to type when every call is refused, against what is really said then. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ALL_AGENTS } from '../../src/agents/all-agents.ts';
import { guardLine } from '../../src/agents/guard-line.ts';
import { NO_WHOLE_ANSWER, notInstalledText } from '../../src/agents/install/guard-script.ts';
import { PART_OFF } from '../../src/launcher/gate-switches.ts';
import { unmetVersion } from '../../src/policy/required-version.ts';

const [, section = ''] = readFileSync(new URL('../../docs/agents-install.md', import.meta.url), 'utf8').split(
  '## Locked out: every call is refused\n',
);
const ROWS = section
  .split('\n## ')[0]!
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split('|').slice(1, 3));
const quotedIn = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, text]) => text!);

/** The words on stderr of every registered line whose guard gives no answer. */
const LINES = new Set(
  ALL_AGENTS.flatMap(({ adapter }) =>
    adapter.events.flatMap((row) => {
      const [, said] = /echo '?([^';>]+?)'? *>&2/.exec(guardLine({ adapter, row, guard: null })) ?? [];
      return said === undefined ? [] : [said];
    }),
  ),
);

it('every refusal of a guard, a line and an engine that is too old stands in the table, each with a command to type', () => {
  const old = unmetVersion([{ file: 'harness.md', line: 1, version: '>=99' }], '0.3.0')?.message ?? '';
  const missing = [false, true].map((managed) => notInstalledText('AGENT', managed));
  const refusals = [...LINES, NO_WHOLE_ANSWER, ...missing, PART_OFF, old];
  const shown = ROWS.flatMap(([said = '']) => quotedIn(said));
  expect(
    refusals.filter(
      (text) => !shown.some((part) => text === part || (part.length > 10 && text.includes(part))),
    ),
  ).toEqual([]);
  expect(shown.filter((part) => !refusals.some((text) => text.includes(part)))).toEqual([]);
  for (const [, typed = ''] of ROWS) expect(quotedIn(typed)).not.toEqual([]);
});
