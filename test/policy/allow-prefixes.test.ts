/** Ways to run a command that nobody allowed behind one that is. */
import { describe, expect, it } from 'vitest';
import { permissionPolicy } from '../../src/policy/permissions/policy.ts';
import FORMS from './allow-prefixes-forms.json' with { type: 'json' };

const policy = permissionPolicy({
  rules: [],
  guards: [{ tools: ['run'], allowPrefixes: ['ls', 'cat', 'git status'], otherwise: 'never' }],
});
const decide = (command: string) =>
  policy.decide({ id: '1', name: 'run', args: { command } }, new AbortController().signal);

describe('allow_prefixes', () => {
  it.each(FORMS)('does not let %j run', (command) => {
    expect(decide(command)).toMatchObject({ decision: 'never' });
  });

  it.each(['ls -l src', 'git status --short; ls', 'cat a.txt | cat -n', 'ls 2>/dev/null', 'ls "$HOME"'])(
    'lets %j run',
    (command) => {
      expect(decide(command)).toEqual({ decision: 'auto' });
    },
  );
});
