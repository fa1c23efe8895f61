/**
 * Patterns over an event as its hooks see it: a glob for the tool's name, or a comparison of a value inside the event.
 * A pattern that is broken never matches, and says why when it is compiled.
 *
 * | written | matches |
 * |---|---|
 * | nothing, `*` | everything |
 * | `exec_*` | the event's `target`, or the name of its tool, by glob |
 * | `tool.args.path =~ "^/etc"` | the value at the path, by regular expression (RE2) |
 * | `session.id == "s1"`, `tool.name != "ls"` | the value at the path as text; an absent one is the empty text |
 * | `tool.args.force` | the value at the path is there and not empty, zero or false |
 */
import { compileGlob, compileRegex, isJsonObject, isLiteral, type Json } from '../base/index.ts';
import { bothNames, type CallNames, namesTool, toolGlob } from './tool-names.ts';

export interface EventExpression {
  readonly text: string;
  /** `call`: the names of the tool, where the event is about a call; a pattern over `tool.name` holds for any of them. */
  readonly test: Test;
  /** The one tool name the pattern stands for, where it is a plain name. */
  readonly toolName: string | null;
  /** Why it can never match; null if nothing is wrong. */
  readonly problem: string | null;
}

const COMPARISON = /^\s*([A-Za-z_]\w*(?:\.\w+)*)\s*(=~|==|!=)\s*(.*?)\s*$/s;
const TOOL_NAME = ['tool', 'name'];
const DOTTED_PATH = /^[A-Za-z_]\w*(?:\.\w+)+$/;

export function compileEventExpression(written: string): EventExpression {
  const text = written.trim();
  if (text === '' || text === '*') return { text: '*', test: () => true, toolName: null, problem: null };
  const byTarget = targetTest(text);
  const comparison = COMPARISON.exec(text);
  if (comparison !== null) {
    const [, path, operator, operand] = comparison as unknown as [string, string, Operator, string];
    const compared = compare(path.split('.'), operator, operand);
    if (!compared.ok) return { text, test: () => false, toolName: null, problem: compared.message };
    return {
      text,
      test: (event, call) => byTarget(event) || compared.test(event, call),
      toolName: null,
      problem: null,
    };
  }
  const glob = toolGlob(text);
  const byName: Test = (event, call) => {
    const name = valueAt(event, TOOL_NAME);
    return typeof name === 'string' && glob(call ?? { name, own: null });
  };
  if (!DOTTED_PATH.test(text)) {
    const toolName = isLiteral(text) ? text : null;
    return { text, test: (event, call) => byTarget(event) || byName(event, call), toolName, problem: null };
  }
  // Some tools have a dotted name, and a guard written for one must not be off because it looks like a path.
  const path = text.split('.');
  const test: Test = (event, call) =>
    byTarget(event) || isTruthy(valueAt(event, path)) || byName(event, call);
  return { text, test, toolName: null, problem: null };
}

/** False for nothing, false, zero and whatever is empty. */
export function isTruthy(value: Json | undefined): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isJsonObject(value)) return Object.keys(value).length > 0;
  return Boolean(value);
}

type Operator = '=~' | '==' | '!=';
type Test = (event: unknown, call?: CallNames | null) => boolean;
type Compared = { readonly ok: true; readonly test: Test } | { readonly ok: false; readonly message: string };

function targetTest(text: string): Test {
  const glob = compileGlob(text);
  return (event) => {
    const target = valueAt(event, ['target']);
    return typeof target === 'string' && glob(target);
  };
}

function compare(path: readonly string[], operator: Operator, operand: string): Compared {
  const quoted = /^(["'])(.*)\1$/s.exec(operand);
  if (quoted === null) {
    return {
      ok: false,
      message: `after ${operator} a text in quotes is wanted, got ${operand || 'nothing'}`,
    };
  }
  const wanted = quoted[2]!;
  const isTool = path.join('.') === TOOL_NAME.join('.');
  const equals: Test = (event, call) =>
    textAt(event, path) === wanted || (isTool && call != null && namesTool(call, wanted));
  if (operator === '==') return { ok: true, test: equals };
  if (operator === '!=') return { ok: true, test: (event, call) => !equals(event, call) };
  const regex = compileRegex(wanted);
  if (!regex.ok)
    return { ok: false, message: `the regular expression ${quoted[0]} is broken: ${regex.message}` };
  const matches: Test = (event, call) =>
    regex.test(textAt(event, path)) || (isTool && call != null && bothNames(call).some(regex.test));
  return { ok: true, test: matches };
}

/** Only what a value holds itself: a path never reaches what every object has. */
function valueAt(event: unknown, path: readonly string[]): Json | undefined {
  let value = event;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[key];
  }
  return value as Json | undefined;
}

function textAt(event: unknown, path: readonly string[]): string {
  const value = valueAt(event, path);
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
