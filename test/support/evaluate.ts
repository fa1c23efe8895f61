/**
 * Evaluates a Starlark expression for a test and shows what came of it: the `repr` of its value, or the message of its
 * error.
 */

import type { Limits, Value } from '../../src/exports/starlark.ts';
import { compileExpression, repr, SourceFile, StarlarkError, Thread } from '../../src/exports/starlark.ts';
import { standardModules } from '../../src/starlark/lib/standard.ts';

/** 2020-01-01T00:00:00.5Z, for as long as the test runs. */
const ENVIRONMENT = standardModules({ now: () => 1_577_836_800_500 });

/** Enough for anything a test means to succeed, and soon reached by anything that runs away. */
const BOUNDED: Partial<Limits> = { steps: 2_000_000, memory: 100_000_000 };

export function evaluate(
  text: string,
  args: Readonly<Record<string, Value>> = {},
  thread = new Thread({ limits: BOUNDED }),
): Value {
  const compiled = compileExpression(new SourceFile('test.star', text), Object.keys(args), {
    environment: ENVIRONMENT,
  });
  if (!compiled.ok) throw new Error(compiled.errors.map((error) => error.message).join('\n'));
  const value = compiled.program.evaluate(thread, Object.values(args));
  if (value instanceof Promise) throw new Error('the expression awaits something');
  return value;
}

/** The value as text. */
export function show(text: string, args: Readonly<Record<string, Value>> = {}): string {
  return repr(evaluate(text, args));
}

/** The message of the error, with its kind in front unless it is a mistake of the script itself. */
export function failure(text: string, args: Readonly<Record<string, Value>> = {}): string {
  try {
    return `no error: ${show(text, args)}`;
  } catch (error) {
    if (!(error instanceof StarlarkError)) throw error;
    return error.kind === 'eval' ? error.message : `${error.kind}: ${error.message}`;
  }
}
