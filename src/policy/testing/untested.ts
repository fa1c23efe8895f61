/**
 * Guards without a test: nobody has ever seen them stop anything. A guard is a script of a hook that can block or ask where that
 * counts. A test is a case that names the hook or, of the whole policy, one in which it runs. Looked for where there are tests
 * at all: see docs/decisions.
 */
import type { Problem } from '../../base/index.ts';
import { eventSpec, type Hook, isBuiltIn, layerOf, type TraceEntry } from '../../engine/index.ts';
import type { Policy } from '../policy.ts';
import { runCase, testsOf } from './run-tests.ts';
import type { TestCase } from './test-case.ts';

const ACCEPTED = /#\s*harness: ignore GUARD_UNTESTED\s+\S/;

/**
 * `policy` must be opened with `coverage`; `sandboxed` gives it once more with nothing that runs code of the folder. `others` are
 * the hooks that ran in tests of another kind, null if there are no such tests.
 */
export async function untestedGuards(
  policy: Policy,
  sandboxed: () => Promise<Policy>,
  others: readonly TraceEntry[] | null,
): Promise<Problem[]> {
  const { cases } = testsOf(policy);
  // A first hook is no mistake yet: that there are no tests at all is what `harness test` says.
  if (cases.length === 0 && others === null) return [];
  const named = new Set(cases.flatMap(namesIn));
  const left = policy.hooks.filter(
    (hook) => isGuard(hook) && !named.has(hook.name) && !isAccepted(policy, hook),
  );
  if (left.length === 0) return [];
  const whole = cases.filter(({ hook }) => hook === null);
  const ran = new Set([...(await ranIn(await sandboxed(), whole)), ...(others ?? [])].map(keyOf));
  return left
    .filter((hook) => !ran.has(keyOf({ layer: layerOf(hook).name, source: hook.source, hook: hook.name })))
    .map(problemOf);
}

/** It can stop something, and does: one that only warns or watches guards nothing yet. */
function isGuard(hook: Hook): boolean {
  if (isBuiltIn(hook) || hook.mode !== 'enforce' || eventSpec(hook.event)?.honours.block !== true)
    return false;
  return hook.covered?.decisions.some(({ action }) => action === 'block' || action === 'ask') === true;
}

function namesIn({ hook, steps }: TestCase): string[] {
  return [hook, ...steps.map(({ expect }) => expect?.hook)].filter((name) => typeof name === 'string');
}

async function ranIn(policy: Policy, cases: readonly TestCase[]): Promise<TraceEntry[]> {
  const ran: TraceEntry[] = [];
  for (const test of cases) {
    const { steps } = await runCase(policy, test, { read: () => null });
    ran.push(...steps.flatMap(({ outcome }) => outcome.trace).filter(({ state }) => state === 'ran'));
  }
  return ran;
}

function isAccepted({ layers }: Policy, hook: Hook): boolean {
  const layer = layers.find(({ name }) => name === layerOf(hook).name);
  const read = layer?.project.snapshot.text(hook.source);
  return read?.ok === true && ACCEPTED.test(read.text);
}

function problemOf(hook: Hook): Problem {
  return {
    severity: 'warning',
    code: 'GUARD_UNTESTED',
    message: `hook ${JSON.stringify(hook.name)} can stop ${hook.event} and no test shows that it does`,
    position: { file: hook.source, line: hook.line ?? 1, col: 1 },
  };
}

function keyOf({ layer, source, hook }: Pick<TraceEntry, 'layer' | 'source' | 'hook'>): string {
  return [layer, source, hook].join('\n');
}
