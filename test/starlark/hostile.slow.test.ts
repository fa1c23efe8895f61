/**
 * Every built-in and method with every argument made to hurt.
 */
import { describe, it } from 'vitest';
import { makeArguments, sweepSeveral, sweepSingle } from '../support/hostile-arguments.ts';

describe('every built-in and method', () => {
  it('ends with a value or a Starlark error for every single argument, soon', () => {
    sweepSingle(makeArguments());
  });

  it('ends for two and three arguments as well', () => {
    sweepSeveral(makeArguments().filter((_, i) => i % 3 === 0));
  });
});
