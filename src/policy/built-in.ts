/**
 * The built-in layer: floor, protected paths, permission tables and exit policy as entries of the one chain. They run last, nothing removes
 * them, and the trace and `harness hooks` show them like any other hook.
 */
import { isJsonObject, type Json, type JsonObject } from '../base/index.ts';
import {
  asCommand,
  type Body,
  BUILT_IN,
  type Condition,
  commonScopes,
  describeThrown,
  type FrontEnd,
  failure,
  frozenCopy,
  type Hook,
  type HookLayer,
  possibleFolders,
  type Reply,
  readScopes,
} from '../engine/index.ts';
import type { HiddenText } from '../files/index.ts';
import { type FleetPlace, staleSince, type WhenStale } from './fleet-policy.ts';
import { refusedCall } from './floor.ts';
import { HAS_HIDDEN_TEXT, HIDDEN_TEXT_HOOK, hiddenTextBody } from './hidden-text.ts';
import type { Permission, Permissions } from './permissions/permission.ts';
import type { Protected } from './protected.ts';
import { mayChange, mayReadSecret, refusedChange, refusedRead } from './protected-calls.ts';
import type { JudgedCall } from './protected-words.ts';

const ALLOW: Reply = { decision: { action: 'allow' } };

/** One for each kind of built-in hook: hosts tell a floor from a permission by its front end. */
export const FLOOR = frontEndNamed('floor', 'the floor failed');
export const SCOPES = frontEndNamed('scopes', 'the check of scopes failed');
export const PROTECTED = frontEndNamed('protected', 'the guard of the policy failed');
export const FLEET = frontEndNamed('fleet', 'the age of the policy of the fleet could not be looked up');
export const HIDDEN_TEXT_SHOWN = frontEndNamed(HIDDEN_TEXT_HOOK, 'the look for hidden text failed', true);
export const PERMISSIONS = frontEndNamed('permissions', 'the permission policy failed');

function frontEndNamed(name: string, failed: string, modify = false): FrontEnd {
  return {
    name,
    powers: { modify },
    view: (_event, payload) => payload,
    interpret: (returned) => returned as Reply,
    explain: (thrown) => failure('error', `${failed}: ${describeThrown(thrown)}`),
  };
}

type Parts = Pick<Hook, 'name' | 'source' | 'position' | 'description' | 'frontEnd'> & {
  readonly event?: 'tool.pre' | 'tool.post';
  readonly body: Body;
  /** Default: every payload of the event. */
  readonly condition?: Condition;
  readonly speaksFor?: HookLayer;
};

function builtInHook({ event = 'tool.pre', speaksFor, condition, ...parts }: Parts): Hook {
  return {
    ...parts,
    event,
    priority: 0,
    origin: 'operator',
    layer: BUILT_IN,
    ...(speaksFor !== undefined && { speaksFor }),
    mode: 'enforce',
    onError: 'block',
    onWhenError: 'block',
    timeoutMs: Number.POSITIVE_INFINITY,
    condition: condition ?? null,
  };
}

/** `folder` is where commands run that do not say where; the session's own folder counts before it. */
export function floorHook(folder: string | null): Hook {
  return builtInHook({
    name: 'floor',
    source: '<built-in>',
    position: 0,
    description: 'Refuses what no configuration of an agent can mean.',
    frontEnd: FLOOR,
    body: (seen, { run }) => {
      const args = readIn(seen);
      const why = possibleFolders(callIn(seen), run.session, folder ?? '')
        .map((cwd) => refusedCall(args, cwd === '' ? null : cwd))
        .find((each) => each !== null);
      return why === undefined ? ALLOW : { decision: { action: 'block', reason: why } };
    },
  });
}

/** Refuses what would change the policy or its records, whatever tool does it. */
export function protectedHook(
  { guarded, secret }: { readonly guarded: Protected; readonly secret: Protected },
  folder: string,
  { home, path }: Pick<JudgedCall, 'home' | 'path'>,
): Hook {
  return builtInHook({
    name: 'protected',
    source: '<built-in>',
    position: 1,
    description: 'Keeps the policy, its tapes and what Harness keeps from being changed by the agent.',
    frontEnd: PROTECTED,
    body: (seen, { run, host }) => {
      const { name } = callIn(seen);
      const judged = { name: String(name ?? ''), args: readIn(seen), home, path };
      const calls = possibleFolders(callIn(seen), run.session, folder).map((cwd) => ({ ...judged, cwd }));
      const reads = () => mayReadSecret(judged, secret);
      const refused = (call: JudgedCall) =>
        (reads() ? refusedRead(call, secret) : null) ??
        (mayChange(call) ? refusedChange(call, guarded) : null);
      const look = (): Json | undefined => {
        const found = calls.map(refused).filter((each) => each !== null);
        const worst = found.find((each) => typeof each === 'string') ?? found[0];
        return typeof worst === 'object' ? { ...worst } : worst;
      };
      const concerned = () => calls.some(mayChange) || reads();
      const why = host.look === undefined ? look() : host.look('protected', look, concerned);
      if (typeof why === 'string') return { decision: { action: 'block', reason: why } };
      return isJsonObject(why) ? { decision: { action: 'ask', reason: String(why.ask) } } : ALLOW;
    },
  });
}

/** Last among those that see a result: what hooks before it wrote is looked at too. */
export function hiddenTextHook(mode: Exclude<HiddenText, 'pass'>): Hook {
  return builtInHook({
    name: HIDDEN_TEXT_HOOK,
    event: 'tool.post',
    source: '<built-in>',
    position: 3,
    description: `Characters of a result that a person does not see are ${mode === 'block' ? 'a reason to hide it' : 'named'}.`,
    frontEnd: HIDDEN_TEXT_SHOWN,
    condition: HAS_HIDDEN_TEXT,
    body: hiddenTextBody(mode),
  });
}

/** Asks or blocks once the hub has not confirmed the policy for as long as its authors allow. It reads two files, never the network. */
export function staleHook(
  place: FleetPlace,
  whenStale: Exclude<WhenStale, 'keep'>,
  now: () => number,
  speaksFor: HookLayer,
): Hook {
  const look = (): Json | undefined => staleSince(place, now()) ?? undefined;
  return builtInHook({
    name: 'fleet',
    source: '<built-in>',
    position: 2,
    description: `Tool calls ${whenStale === 'ask' ? 'are asked about' : 'are blocked'} while the policy of the fleet is stale.`,
    frontEnd: FLEET,
    speaksFor,
    body: (_seen, { host }) => {
      const since = host.look === undefined ? look() : host.look('fleet', look, () => true);
      if (typeof since !== 'number') return ALLOW;
      const reason = `the policy of the fleet is stale since ${new Date(since).toISOString()}: its hub did not confirm it`;
      return { decision: { action: whenStale, reason } };
    },
  });
}

export interface PermissionSource {
  readonly permissions: Permissions;
  /** Where the table stands, for the chain and the trace. */
  readonly source: string;
  /** Whose table it is: a yes of a lower layer does not answer its questions. */
  readonly layer?: HookLayer;
}

export function permissionHook({ permissions, source, layer }: PermissionSource, position = 1): Hook {
  return builtInHook({
    name: 'permissions',
    source,
    position,
    description: 'Which calls run by themselves, which are asked about, which never run.',
    frontEnd: PERMISSIONS,
    ...(layer !== undefined && { speaksFor: layer }),
    body: (seen, { signal, toolNames }) => {
      const { id, name } = callIn(seen);
      // The arguments are the host's own object, and this is code of the embedding program.
      const call = {
        id: String(id ?? ''),
        name: String(name),
        own: toolNames?.own ?? null,
        args: frozenCopy(argumentsIn(seen)),
      };
      const said = permissions.decide(call, signal ?? new AbortController().signal);
      return said instanceof Promise ? said.then(replyOf) : replyOf(said as Permission);
    },
  });
}

/** A tool that states scopes runs only for a caller that has all of them; nothing said of the caller is nothing it has. */
export function scopesHook(source: string, position: number): Hook {
  return builtInHook({
    name: 'scopes',
    source,
    position,
    description: 'Tools that state scopes run only for a caller that has all of them.',
    frontEnd: SCOPES,
    body: (seen, { who: { actor, caller } }) => {
      const read = readScopes(callIn(seen).scopes);
      if (!read.ok) return { decision: { action: 'block', reason: `the tool's ${read.message}` } };
      const has = commonScopes(actor?.scopes ?? [], caller.scopes) ?? [];
      const missing = (read.scopes ?? []).filter((scope) => !has.includes(scope));
      if (missing.length === 0) return ALLOW;
      const whom =
        actor === null ? 'nobody is known to be behind the call' : `${actor.id} may not, by this agent`;
      return { decision: { action: 'block', reason: `needs ${missing.join(', ')}, and ${whom}` } };
    },
  });
}

function replyOf(permission: Permission): Reply {
  switch (permission?.decision) {
    case 'auto':
      return ALLOW;
    case 'ask':
      return { decision: { action: 'ask', reason: permission.reason } };
    case 'never':
      return { decision: { action: 'block', reason: permission.reason } };
    default:
      return { failure: failure('invalid_return', 'the permission policy gave no decision it knows') };
  }
}

function callIn(seen: unknown): { readonly [key: string]: Json } {
  return seen as JsonObject;
}

function argumentsIn(seen: unknown): JsonObject {
  const { args } = callIn(seen);
  return isJsonObject(args) ? args : {};
}

/** The same, as those see them who look for commands. */
function readIn(seen: unknown): JsonObject {
  return asCommand(String(callIn(seen).name ?? ''), argumentsIn(seen)) as JsonObject;
}
