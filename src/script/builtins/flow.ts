/**
 * `flow`: where a value comes from, by the ledger of the session. A guard that asks where no ledger is fails: "unknown" would read as
 * harmless.
 */
import type { Json } from '../../base/index.ts';
import type { ValueOrigins } from '../../engine/index.ts';
import {
  builtin,
  fail,
  List,
  listBytes,
  Module,
  type Thread,
  toJson,
  type Value,
  wantString,
  wrapJson,
} from '../../starlark/index.ts';
import { type ScriptCall, scriptCallOf } from './reach.ts';
import { ShellEffectValue, ShellReading } from './shell-values.ts';

const FLAGS = { pure: false };
/** What a lookup of text costs. */
const CHARACTERS_PER_STEP = 8;

export const FLOW = new Module(
  'flow',
  new Map<string, Value>([
    [
      'of',
      builtin(
        'flow.of',
        'value',
        (thread, value) => {
          const call = scriptCallOf(thread);
          const asked = namesOf(value, thread);
          const size = JSON.stringify(asked).length;
          thread.spend(1 + Math.ceil(size / CHARACTERS_PER_STEP));
          thread.charge(2 * size);
          const { origin, labels, entries, source } = ledgerOf(call, 'flow.of').of(asked);
          return wrapJson({ origin, labels: [...labels], entries: [...entries], source }, thread);
        },
        FLAGS,
      ),
    ],
    [
      'labels',
      builtin(
        'flow.labels',
        '',
        (thread) => wrapJson([...ledgerOf(scriptCallOf(thread), 'flow.labels').labels()], thread),
        FLAGS,
      ),
    ],
    [
      'endorse',
      builtin(
        'flow.endorse',
        'value, sink',
        (thread, value, sink) => {
          const call = scriptCallOf(thread);
          const { layer } = call.hook;
          // A project would endorse what its own repository says.
          if (layer === undefined || !ENDORSING.has(layer.name))
            fail("flow.endorse: only hooks of the user's and the managed layer endorse values");
          ledgerOf(call, 'flow.endorse').endorse(
            wantString('flow.endorse', 'sink', sink),
            wantString('flow.endorse', 'value', value),
          );
          return null;
        },
        FLAGS,
      ),
    ],
  ]),
);

const ENDORSING: ReadonlySet<string> = new Set(['managed', 'user']);

function ledgerOf({ run }: ScriptCall, name: string): ValueOrigins {
  const { origins } = run;
  if (origins !== null) return origins;
  return fail(`${name}: no flow ledger: write \`sources:\` in harness.md, or use the pack flow`);
}

/** Of what a command does: its hosts, what it is done to, and its paths. */
function namesOf(value: Value, thread: Thread): Json {
  if (value instanceof ShellReading) return namesOf(value.attr('effects', thread)!, thread);
  if (value instanceof ShellEffectValue) {
    const { hosts, objects, paths } = value.effect;
    const count = hosts.length + objects.length + paths.length;
    thread.spend(1 + count);
    thread.charge(listBytes(count));
    return [...hosts, ...objects, ...paths.map(({ path }) => path)];
  }
  if (value instanceof List && value.items.some((item) => item instanceof ShellEffectValue))
    return value.items.map((item) => namesOf(item, thread));
  return toJson(value, thread) as Json;
}
