/**
 * `harness hooks`: the policy, read from top to bottom: the chain of each event in the order it runs.
 */
import { loadAgent } from '../agent/index.ts';
import { type Hook, isBuiltIn } from '../engine/index.ts';
import type { Policy } from '../policy/index.ts';
import { runsIn, targetsOf } from '../project/index.ts';
import {
  canonicalEvent,
  hookData,
  inOrderOfLife,
  missingPolicyOf,
  openPolicyAt,
  printHooks,
  type Run,
} from '../terminal/index.ts';

export const run: Run = async (args, output) => {
  const dir = args.positionals[0] ?? '.';
  const only = args.value('event');
  const event = only === undefined ? undefined : canonicalEvent(only);
  const policy = await openPolicyAt(dir);
  const reach = await supportIn(policy, args.value('target'));
  if (!args.has('json')) {
    return printHooks(policy, event, output, (hook) =>
      reach(hook).map(({ agent, runs, natives, why }) => {
        if (!runs) return `${agent}: ${output.paint('red', 'never runs')}: ${why}`;
        const may = why === null ? output.paint('green', 'runs') : output.paint('yellow', 'may run');
        return `${agent}: ${may} on ${natives.join(', ')}${why === null ? '' : `: ${why}`}`;
      }),
    );
  }
  const { registry, digest } = policy;
  const events = event === undefined ? inOrderOfLife(registry.events()) : [event];
  const dataOf = (hook: Hook) => ({
    ...hookData(hook),
    ...(args.value('target') !== undefined && { targets: reach(hook) }),
  });
  const chains = events.map((name) => ({ event: name, hooks: registry.list(name).map(dataOf) }));
  const layers = policy.layers.map(({ name, dir: folder }) => ({ name, dir: folder }));
  const problems = policy.problems.length + missingPolicyOf(policy).length;
  output.line(JSON.stringify({ dir, layers, digest: digest.digest, chains, problems }));
  return policy.empty ? 1 : 0;
};

/** In each agent of `--target`, whether a hook can run there; the built-in entries always can. */
async function supportIn(policy: Policy, target: string | undefined) {
  if (target === undefined) return () => [];
  const adapters = targetsOf(target);
  const { tools } = await loadAgent(policy);
  const names = new Set(tools.map(({ name }) => name));
  return (hook: Hook) => (isBuiltIn(hook) ? [] : adapters.map((adapter) => runsIn(adapter, hook, names)));
}
