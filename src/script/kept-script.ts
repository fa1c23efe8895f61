/**
 * Scripts and conditions that were compiled before, from the data that was kept of them. They do what those did; see
 * starlark/compile/kept.ts. Where one cannot be taken, it is compiled from its text at the first call.
 */
import type { SourceFile } from '../base/source.ts';
import type { EventSpec } from '../events/catalog.ts';
import { requireEvent } from '../events/describe.ts';
import type { Body, Condition, Selects } from '../hooks/hook.ts';
import type { KeptCode } from '../starlark/compile/kept.ts';
import { type KeptProgram, keptProgram } from '../starlark/compile/program.ts';
import { type Program, StarFunction } from '../starlark/index.ts';
import type { ParameterList } from '../starlark/values/function.ts';
import { conditionOf, folding, HOOK_SCRIPT, raising, type ScriptEntry } from './compile-script.ts';
import { DeferredEntry } from './deferred-entry.ts';
import { CONDITION_ENVIRONMENT } from './environment.ts';
import type { EventNames } from './event-names.ts';
import { bodyOf, freshBodyOf } from './run-script.ts';

export interface KeptScript {
  readonly program: KeptProgram;
  /** Of the entry that all calls share; null: its top level is run anew for each. */
  readonly shared: ParameterList | null;
}

export function keepScript(entry: ScriptEntry, program: Program): KeptScript | null {
  const kept = program.keep();
  if (kept === null) return null;
  if ('fresh' in entry) return { program: kept, shared: null };
  const { shared } = entry;
  const isOurs = shared instanceof DeferredEntry || shared instanceof StarFunction;
  return isOurs ? { program: kept, shared: shared.params } : null;
}

export function keptBody({ program: kept, shared }: KeptScript, source: SourceFile, names: EventNames): Body {
  const { environment, entry } = HOOK_SCRIPT;
  const program = keptProgram(kept, source, { environment, ...folding(names) });
  return shared === null ? freshBodyOf(program) : bodyOf(new DeferredEntry(program, entry, shared));
}

export interface KeptCondition {
  readonly code: KeptCode;
  readonly selects: Selects | null;
  /** Whether it can raise on a payload of its hook's event. */
  readonly mayRaise: boolean;
}

export function keepCondition(
  condition: Condition,
  code: KeptCode | null,
  event: string,
): KeptCondition | null {
  if (code === null) return null;
  const mayRaise = condition.mayRaise?.(requireEvent(event)) !== false;
  return { code, selects: condition.selects ?? null, mayRaise };
}

export function keptCondition(
  { code, selects, mayRaise }: KeptCondition,
  source: SourceFile,
  names: EventNames,
): Condition {
  const options = { environment: CONDITION_ENVIRONMENT, ...folding(names) };
  const elsewhere = raising(source, options);
  const raises = (spec: EventSpec) => (spec === requireEvent(names.canonical) ? mayRaise : elsewhere(spec));
  return conditionOf(source, options, code, raises, selects ?? undefined);
}
