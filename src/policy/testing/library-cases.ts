/**
 * Tests of shared code: a function `test_…()` of a library gives pairs of what came out and what was wanted. They stand beside
 * what they test, run under the limits of a hook, and a case that compares nothing does not pass.
 */

import { DEFAULT_TIMEOUT_MS } from '../../files/index.ts';
import { limitsFor, TEST } from '../../script/index.ts';
import {
  type Def,
  equal,
  invokeCallable,
  List,
  repr,
  type StarFunction,
  StarlarkError,
  Thread,
  Tuple,
  type Value,
} from '../../starlark/index.ts';
import type { LoadedLayer } from '../loaded-layer.ts';
import type { CaseResult } from './run-tests.ts';
import { DEFAULT_CASE, type TestCase } from './test-case.ts';

/** Every `test_…` of the libraries of a layer, in the order of their files. */
export function libraryCases({ dir, project: { library } }: LoadedLayer): TestCase[] {
  return [...(library?.files.keys() ?? [])].flatMap((file) => {
    const loaded = library!.own(file);
    if (!loaded.ok) return [];
    const { source, file: tree } = loaded.program;
    const defs = tree.body.filter((stmt): stmt is Def => stmt.kind === 'def');
    return defs
      .filter(({ ident }) => ident.name.startsWith(TEST))
      .map(({ ident }) => ({
        ...DEFAULT_CASE,
        name: ident.name.slice(TEST.length).replaceAll('_', ' '),
        source: source.name,
        dir,
        line: source.position(ident.start).line,
        shared: loaded.module.globals.get(ident.name) as StarFunction,
      }));
  });
}

export async function runLibraryCase(test: TestCase, shared: StarFunction): Promise<CaseResult> {
  const problem = await faultOf(shared);
  return { test, status: problem === null ? 'passed' : 'failed', problem, steps: [] };
}

async function faultOf(shared: StarFunction): Promise<string | null> {
  const thread = new Thread({ limits: limitsFor(DEFAULT_TIMEOUT_MS), print: () => {} });
  try {
    return faultIn(await invokeCallable(thread, shared, [], null), thread);
  } catch (error) {
    if (!(error instanceof StarlarkError)) throw error;
    return error.traceback;
  }
}

function faultIn(value: Value, thread: Thread): string | null {
  const pairs = value instanceof List ? value.elements(thread) : value instanceof Tuple ? value.items : null;
  if (pairs === null || pairs.length === 0)
    return `want a list of pairs [(got, wanted), …], got ${repr(value)}`;
  for (const [at, pair] of pairs.entries()) {
    if (!(pair instanceof Tuple) || pair.items.length !== 2)
      return `pair ${at + 1}: want (got, wanted), got ${repr(pair)}`;
    const [got, wanted] = pair.items as [Value, Value];
    if (!equal(thread, got, wanted)) return `pair ${at + 1}: want ${repr(wanted)}, got ${repr(got)}`;
  }
  return null;
}
