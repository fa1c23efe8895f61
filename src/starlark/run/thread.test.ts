import { describe, expect, it } from 'vitest';
import { StarlarkError } from './errors.ts';
import { Thread } from './thread.ts';

describe('a thread', () => {
  it('ends the run when its steps are used up, and not before', () => {
    const thread = new Thread({ limits: { steps: 10 } });
    thread.spend(10);
    expect(() => thread.spend(1)).toThrow(expect.objectContaining({ kind: 'steps' }));
    expect(() => thread.spend(1)).toThrow('step limit of 10 exceeded');
  });

  it('ends the run when its memory is used up', () => {
    const thread = new Thread({ limits: { memory: 100 } });
    thread.charge(100);
    expect(() => thread.charge(1)).toThrow(expect.objectContaining({ kind: 'memory' }));
  });

  it('ends the run when calls nest too deep', () => {
    const thread = new Thread({ limits: { depth: 2 } });
    thread.enter();
    thread.enter();
    expect(() => thread.enter()).toThrow(expect.objectContaining({ kind: 'depth' }));
  });

  it('ends the run when it is cancelled', () => {
    const thread = new Thread();
    thread.spend(5);
    thread.cancel('shutting down');
    expect(() => thread.spend(1)).toThrow(
      expect.objectContaining({ kind: 'cancelled', message: 'shutting down' }),
    );
  });

  it('looks at the clock now and then', () => {
    const thread = new Thread({ limits: { time: -1 } });
    thread.spend(100);
    // It starts at the first look and is judged at the next.
    thread.spend(10_000);
    expect(() => thread.spend(20_000)).toThrow(expect.objectContaining({ kind: 'time' }));
  });
});

describe('an error', () => {
  it('knows where it happened and how it came there', () => {
    const error = new StarlarkError('eval', 'no');
    error.frames.push(
      { function: '<toplevel>', position: { file: 'a.star', line: 3, col: 2 } },
      { function: 'f', position: { file: 'a.star', line: 1, col: 5 } },
      { function: 'len', position: null },
    );
    expect(error.position).toEqual({ file: 'a.star', line: 1, col: 5 });
    expect(error.traceback).toBe(
      [
        'Traceback (most recent call last):',
        '  a.star:3:2: in <toplevel>',
        '  a.star:1:5: in f',
        '  <builtin>: in len',
        'Error in len: no',
      ].join('\n'),
    );
  });
});
