/**
 * The check of one script: everything that can be known without running it, from its tree, the event it listens to and
 * the built-ins it may use. Pure; a script that does not compile has been reported elsewhere and gives nothing.
 */
import type { Field } from '../../base/index.ts';
import { eventSpec } from '../../engine/index.ts';
import {
  type Binding,
  Budget,
  type Def,
  type Expr,
  type FileNode,
  type FunctionNode,
  parse,
  parseExpression,
  resolve,
  resolveExpression,
  UNIVERSE,
  type Value,
} from '../../starlark/index.ts';
import { alwaysBlocks, checkAnswers, onlyRestricts } from './answers.ts';
import { checkBuiltins } from './builtin-calls.ts';
import { checkConditions } from './conditions.ts';
import type { CheckedScript, Finding, ToolMention, WrittenScript } from './finding.ts';
import { withoutAccepted } from './ignore.ts';
import type { CheckContext } from './look.ts';
import { checkPassed } from './passed.ts';
import { checkPayloadKeys } from './payload-keys.ts';
import { checkRecords } from './records.ts';
import { type Type, typesOf, UNKNOWN } from './types.ts';
import { usesOf } from './uses.ts';

const NOTHING: CheckedScript = { findings: [], tools: [], alwaysBlocks: false, onlyRestricts: false };

const CHECKS = [checkPayloadKeys, checkAnswers, checkBuiltins, checkConditions, checkPassed, checkRecords];

/** Nobody reads more than this of one script. */
const MAX_FINDINGS = 50;

export function checkScript(script: WrittenScript): CheckedScript {
  const { source, event = '' } = script;
  const spec = eventSpec(event) ?? null;
  const read = script.kind === 'condition' ? readCondition(script) : readFile(script);
  if (read === null) return NOTHING;
  const { tree, entry } = read;
  const found = new Map<string, Finding & { readonly offset: number }>();
  const tools: ToolMention[] = [];
  const uses = usesOf(tree);
  const given = new Map<Binding, Type>();
  for (const [at, type] of parametersOf(script, spec?.payload).entries()) {
    const binding = read.parameters[at];
    // A name that is bound again may be anything.
    if (binding?.bindings === 1) given.set(binding, type);
  }
  const loads = !('kind' in tree) ? loadedBy(tree, script) : new Map<Binding, Value>();
  const typeOf = typesOf({ uses, environment: script.environment, given, loads });
  const look: CheckContext = {
    script,
    condition: 'kind' in tree ? tree : null,
    entry,
    spec,
    event,
    uses,
    typeOf,
    say: (severity, code, message, offset) => {
      const key = `${offset} ${code}`;
      if (found.size >= MAX_FINDINGS || found.has(key)) return;
      found.set(key, { severity, code, message, offset, position: source.position(offset) });
    },
    mention: (tool, offset) => {
      const mention = { tool, position: source.position(offset) };
      tools.push(mention);
      return mention;
    },
  };
  for (const check of CHECKS) check(look);
  const findings = [...found.values()]
    .sort((a, b) => a.offset - b.offset)
    .map(({ offset: _, ...finding }) => finding);
  return {
    findings: withoutAccepted(script.file, findings),
    tools,
    alwaysBlocks: script.kind === 'handler' && alwaysBlocks(look),
    onlyRestricts: script.kind === 'handler' && onlyRestricts(look),
  };
}

/** What each name that a `load` binds stands for. */
function loadedBy({ body }: FileNode, { library }: WrittenScript): ReadonlyMap<Binding, Value> {
  const values = new Map<Binding, Value>();
  for (const stmt of body) {
    const found = stmt.kind === 'load' ? library?.find(stmt.module) : undefined;
    if (stmt.kind !== 'load' || found?.ok !== true) continue;
    for (const { from, ident } of stmt.bindings) {
      const value = found.module.globals.get(from);
      if (value !== undefined && ident.binding?.bindings === 1) values.set(ident.binding, value);
    }
  }
  return values;
}

interface Read {
  readonly tree: FileNode | Expr;
  readonly entry: FunctionNode | null;
  /** The variables that hold the event and the payload. */
  readonly parameters: readonly (Binding | undefined)[];
}

function readFile({ source, environment, entry: name }: WrittenScript): Read | null {
  const budget = new Budget();
  const { file, errors } = parse(source, budget);
  if (errors.length > 0) return null;
  const resolved = resolve(file, { source, predeclared: environment, universal: UNIVERSE, budget });
  if (resolved.errors.length > 0) return null;
  const defs = file.body.filter((stmt): stmt is Def => stmt.kind === 'def');
  const entry = defs.find(({ ident }) => ident.name === name)?.fn ?? null;
  return { tree: file, entry, parameters: entry?.params.map(({ ident }) => ident?.binding) ?? [] };
}

function readCondition({ source, environment }: WrittenScript): Read | null {
  const budget = new Budget();
  const { expr } = parseExpression(source, budget);
  if (expr === null) return null;
  const options = { source, predeclared: environment, universal: UNIVERSE, budget };
  const { scope, errors } = resolveExpression(expr, CONDITION_NAMES, options);
  return errors.length > 0 ? null : { tree: expr, entry: null, parameters: scope.locals };
}

const CONDITION_NAMES = ['event', 'payload'];

function parametersOf({ kind }: WrittenScript, payload: Field | undefined): readonly Type[] {
  if (kind === 'tool' || kind === 'library') return [];
  const whole: Type =
    payload === undefined ? UNKNOWN : { kind: 'field', field: payload, path: 'payload', whole: true };
  return [{ kind: 'event' }, whole];
}
