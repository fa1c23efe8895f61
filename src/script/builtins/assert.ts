/** `assert(condition, msg)`: fails the script where the condition does not hold. */
import { builtin, fail, truth, wantString } from '../../starlark/index.ts';

export const ASSERT = builtin(
  'assert',
  'condition, msg="the condition does not hold"',
  (_thread, condition, msg) => {
    if (!truth(condition)) fail(`assert: ${wantString('assert', 'msg', msg)}`);
    return null;
  },
);
