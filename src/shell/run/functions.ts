/**
 * Calls of functions that the text itself defines: the body is walked with the arguments of the call.
 */
import { MOST_LEVELS } from '../bounds.ts';
import { anyOf } from '../known/values.ts';
import type { Node } from '../syntax/tree.ts';
import { type Result, type Run, UNKNOWN } from './run.ts';
import { emit, type Started } from './start.ts';
import { join, type State, type Variable } from './state.ts';
import { walk } from './walk.ts';

/** A function that calls itself is followed this often, as long as something changes. */
const MOST_RECURSION = 3;

export function callFunction(run: Run, started: Started, name: string, bodies: readonly Node[]): Result {
  const { frame, words } = started;
  const args = JSON.stringify(words.map((word) => [word.text, word.known]));
  const active = frame.calls.filter((call) => call.name === name);
  const again = active.some((call) => call.args === args && call.version === run.version);
  if (again || active.length >= MOST_RECURSION || frame.calls.length >= MOST_LEVELS) {
    emit(run, started, true, active.length > 0);
    if (!again) run.error('limit', `the function ${name} calls itself and changes things`, started.start);
    return UNKNOWN;
  }
  emit(run, started, true);
  const locals = new Map<string, Variable | undefined>();
  const inner = {
    ...frame,
    via: [...frame.via, `${name}()`],
    calls: [...frame.calls, { name, args, version: run.version }],
    input: started.input,
    locals,
    loop: null,
    call: started.env,
  };
  const { env } = started;
  const { weak } = env;
  const before = env.args;
  env.args = words.slice(1);
  let result: Result = UNKNOWN;
  if (bodies.length === 1) result = walk(run, bodies[0]!, env, inner);
  else {
    const layers = bodies.map((body) => {
      const layer = env.fork();
      walk(run, body, layer, inner);
      return layer;
    });
    join(env, layers, true);
  }
  env.args = before;
  // Where it returned to, everything runs again.
  env.weak = weak;
  for (const [local, held] of locals) {
    if (held === undefined) env.variables?.delete(local);
    else env.set(local, held);
  }
  mergeChanges(
    started.state,
    env,
    started.assigns.map((assign) => assign.name),
  );
  return started.redirects.length === 0 ? result : { ...result, status: -1 };
}

/** What ran with variables of its own leaves the others behind; whether its own stay too depends on the shell. */
export function mergeChanges(state: State, env: State, own: readonly string[]): void {
  if (env === state) return;
  for (const [name, held] of env.variables ?? []) {
    const before = state.get(name);
    if (!own.includes(name) || before === undefined) {
      // Set for this command only: outside it may be unset, or what it was.
      if (own.includes(name))
        state.set(name, { ...held, value: anyOf([held.value, outsideOf(name)], `\${${name}}`) });
      else state.set(name, held);
      continue;
    }
    state.set(name, { ...before, value: anyOf([before.value, held.value], `\${${name}}`), list: null });
  }
  for (const [name, bodies] of env.functions ?? []) state.define(name, bodies);
  state.enter(env.cwd, env.cwdCertain);
  if (state.args !== env.args) state.give(env.args);
}

function outsideOf(name: string) {
  return { alts: [{ text: `\${${name}}`, known: false }], numeric: false, from: [] };
}
