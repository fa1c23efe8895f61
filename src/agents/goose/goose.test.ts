import { describe, expect, it } from 'vitest';
import { answered, block, fixturesOf, judged, readFixture } from '../../../test/support/adapters.ts';
import { adapter } from './index.ts';

const READ: readonly (readonly [name: string, event: string, payloads: readonly unknown[]])[] = [
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

describe('Goose: what it sends', () => {
  it('every payload seen is read here', () => {
    expect(READ.map(([name]) => name)).toEqual(Object.keys(fixturesOf('goose')));
  });

  it.each(READ)('%s is %s', (name, event, payloads) => {
    const call = readFixture(adapter, name);
    expect(call.row.event).toBe(event);
    expect(judged(call)).toEqual(payloads);
  });
});

describe('Goose: what it is answered', () => {
  it('nothing, ever: it would not listen, and says so before it is installed', () => {
    for (const name of Object.keys(fixturesOf('goose'))) {
      expect(answered(adapter, readFixture(adapter, name), block('not here'))).toBeNull();
    }
    expect(adapter.observeOnly).toMatch(/runs every tool call/);
    expect(adapter.events.flatMap(({ honours }) => Object.values(honours))).not.toContain(true);
  });
});
