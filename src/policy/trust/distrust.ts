/**
 * A hook whose capability is not trusted. Distrust is no failure, so `on_error` does not apply. Where the event can be blocked, the
 * hook blocks; elsewhere, and where a block would send an agent back to work, it is skipped and the trace says so. A model may read
 * the reason: it names the cause and not what a person types to lift it.
 */
import { type FrontEnd, type Hook, type Reply, requireEvent } from '../../engine/index.ts';
import { changedFile } from '../../frontends/index.ts';

const NEEDS: Readonly<Record<string, string>> = {
  program: 'runs a program',
  module: 'loads a module',
  address: 'sends data to an address',
};

/** The hook as it is in a folder that nobody has trusted. */
export function distrusted(hook: Hook): Hook {
  if (hook.capability === undefined) return hook;
  const needs = NEEDS[hook.capability.kind] ?? 'reaches beyond the sandbox';
  const reply = refusal(
    hook,
    `hook ${JSON.stringify(hook.name)} ${needs}, and its folder has not been trusted`,
  );
  return { ...hook, frontEnd: answering(hook.frontEnd), body: () => new Refusal(reply) };
}

/** The hook in a folder that was trusted: what runs is what was agreed to, also if files change while it is in force. */
export function pinnedToDigest(hook: Hook): Hook {
  const { capability, body } = hook;
  if (capability === undefined || body === null || Object.keys(capability.files).length === 0) return hook;
  return {
    ...hook,
    frontEnd: answering(hook.frontEnd),
    body: (seen, call) => {
      const changed = changedFile(capability.root, capability.files);
      if (changed === null) return body(seen, call);
      const why = `${changed} has changed since its folder was trusted, and hook ${JSON.stringify(hook.name)} runs it`;
      return new Refusal(refusal(hook, why));
    },
  };
}

/** The hook where nothing of a folder is run: programs are answered for by the host, a module cannot be. */
export function withoutModule(hook: Hook): Hook {
  if (hook.capability?.kind !== 'module') return hook;
  const why = `hook ${JSON.stringify(hook.name)} loads a module, and no code of a folder is run here`;
  return { ...hook, frontEnd: answering(hook.frontEnd), body: () => new Refusal(refusal(hook, why)) };
}

class Refusal {
  readonly reply: Reply;

  constructor(reply: Reply) {
    this.reply = reply;
  }
}

/** One for each front end: hooks that share it also share its view of a payload. */
const pinnedFrontEnds = new WeakMap<FrontEnd, FrontEnd>();

function answering(frontEnd: FrontEnd): FrontEnd {
  const before = pinnedFrontEnds.get(frontEnd);
  if (before !== undefined) return before;
  const made: FrontEnd = {
    ...frontEnd,
    interpret: (returned, hook, event) =>
      returned instanceof Refusal ? returned.reply : frontEnd.interpret(returned, hook, event),
  };
  pinnedFrontEnds.set(frontEnd, made);
  pinnedFrontEnds.set(made, made);
  return made;
}

function refusal(hook: Hook, reason: string): Reply {
  const { event, frontEnd, watches } = hook;
  const { honours, sendsBack } = requireEvent(event);
  const skipped: Reply = { decision: { action: 'allow' }, warnings: [`skipped: ${reason}`] };
  const canBlock = honours.block === true && frontEnd.powers.block?.(event) !== false && watches !== true;
  if (!canBlock) return skipped;
  if (sendsBack !== true) return { decision: { action: 'block', reason, cause: 'trust' } };
  // A gate that is skipped is no secret: the person reads it at the end of the turn.
  return { ...skipped, effects: [{ kind: 'output', hook: hook.name, text: `skipped: ${reason}` }] };
}
