/**
 * When a Harn handler runs: its pattern as a condition of the pipeline. A broken pattern never matches; it is reported
 * when it is registered, and again in the trace of every event it might have been meant for.
 */
import { compileGlob, HarnessError, isLiteral } from '../../../base/index.ts';
import {
  type CallNames,
  type Condition,
  compileEventExpression,
  type EventExpression,
  indexNames,
  isReached,
} from '../../../engine/index.ts';
import type { HarnEvent } from './events.ts';
import type { HarnView } from './view.ts';

export interface PatternCondition {
  /** Null: every dispatch of the event. */
  readonly condition: Condition | null;
  /** Why the pattern can never match, or null. */
  readonly problem: string | null;
}

/** A pattern over the event: see match/event-expression.ts. */
export function byExpression(pattern: string, { event, parameter }: HarnEvent): PatternCondition {
  const expression = compileEventExpression(pattern);
  const tests = [...expressionTests(expression), ...parameterTests(parameter)];
  const indexable =
    expression.toolName !== null && event.startsWith('tool.')
      ? { indexable: { key: 'name', values: indexNames([expression.toolName]) } }
      : {};
  return patterned(expression.text, tests, expression.problem, indexable);
}

/** The name of a persona by glob (or a pattern over the event), and the name of a step where one is given. */
export function byPersona(
  pattern: string,
  step: string | null,
  { event, parameter }: HarnEvent,
): PatternCondition {
  const expression = compileEventExpression(pattern);
  const persona = compileGlob(pattern.trim());
  const tests: Test[] = [];
  if (expression.text !== '*') {
    tests.push(
      (seen) => (typeof seen.persona === 'string' && persona(seen.persona)) || expression.test(seen),
    );
  }
  const named = step === null ? null : compileGlob(step);
  if (named !== null) {
    tests.push((seen) => {
      const name = typeof seen.step === 'object' ? (seen.step as HarnView | null)?.name : seen.step;
      return typeof name === 'string' && named(name);
    });
  }
  tests.push(...parameterTests(parameter));
  const text = step === null ? expression.text : `${expression.text} / ${step}`;
  const indexable =
    step !== null && isLiteral(step) && event.startsWith('step.')
      ? { indexable: { key: 'step', values: [step] } }
      : {};
  return patterned(text, tests, expression.problem, indexable);
}

type Test = (seen: HarnView, call: CallNames | null) => boolean;

function expressionTests({ text, test }: EventExpression): Test[] {
  return text === '*' ? [] : [test];
}

function parameterTests(parameter: HarnEvent['parameter']): Test[] {
  return parameter === undefined ? [] : [(seen) => isReached(parameter, seen)];
}

function patterned(
  text: string,
  tests: readonly Test[],
  problem: string | null,
  indexable: Pick<Condition, 'indexable'>,
): PatternCondition {
  if (problem !== null) {
    const test = () => {
      throw new HarnessError('PATTERN_INVALID', problem);
    };
    return { condition: { text, test }, problem };
  }
  if (tests.length === 0) return { condition: null, problem };
  return {
    condition: {
      text,
      test: (seen, { toolNames = null }) => tests.every((holds) => holds(seen as HarnView, toolNames)),
      ...indexable,
    },
    problem,
  };
}
