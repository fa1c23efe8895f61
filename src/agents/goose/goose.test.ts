import { describe, expect, it } from 'vitest';
import { type Readings, readsWhatIsSent } from '../../../test/support/adapter-contract.ts';
import { answered, block, fixturesOf, readFixture } from '../../../test/support/adapters.ts';
import { adapter } from './index.ts';

const READ: Readings = [
  ['SessionStart', 'session.start', [{}]],
  ['UserPromptSubmit', 'turn.start', ['Run the tests, please']],
  ['PreToolUse', 'tool.pre', [{ name: 'run_command', args: { command: 'npm test -- --run' } }]],
  [
    'PostToolUse',
    'tool.post',
    [{ name: 'run_command', args: { command: 'npm test -- --run' }, content: '', is_error: false }],
  ],
  [
    'PostToolUseFailure',
    'tool.post',
    [{ name: 'run_command', args: { command: 'npm test -- --run' }, content: '', is_error: true }],
  ],
  ['SessionEnd', 'session.end', [{}]],
];

readsWhatIsSent(adapter, READ);

describe('Goose: what it is answered', () => {
  it('nothing, ever: it would not listen, and says so before it is installed', () => {
    for (const name of Object.keys(fixturesOf('goose'))) {
      expect(answered(adapter, readFixture(adapter, name), block('not here'))).toBeNull();
    }
    expect(adapter.observeOnly).toMatch(/runs every tool call/);
    expect(adapter.events.flatMap(({ honours }) => Object.values(honours))).not.toContain(true);
  });
});
