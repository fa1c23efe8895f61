/** Whether everything is guarded: agents and servers as `harness status` sees them, and for each guard that is off the one thing to do. */
import { hash } from 'node:crypto';
import { heartbeat, unjudgedText } from '../agents/index.ts';
import type { Policy } from '../policy/index.ts';
import { NO_AGENT, type Status, statusOf } from '../project/index.ts';
import type { Guarded, Guards, Warning } from './server/api.ts';

export async function guardsOf(dir: string, policy: Policy): Promise<Guards> {
  const status = await statusOf(dir);
  const warnings = [
    // That no agent is installed is no guard of this policy; the list of agents says it.
    ...status.off.filter((text) => text !== NO_AGENT),
    ...heartbeat().map(unjudgedText),
  ].map(warningOf);
  const rules = new Set(
    policy.packs.packs.flatMap(({ modes }) =>
      [...modes].flatMap(([rule, mode]) => (mode === 'off' ? [] : rule)),
    ),
  );
  return {
    state: status.policy.hooks === 0 && rules.size === 0 ? 'none' : warnings.length > 0 ? 'doubtful' : 'on',
    hooks: status.policy.hooks,
    rules: rules.size,
    strict: status.policy.strict,
    guarded: guardedIn(status),
    warnings,
  };
}

function guardedIn({ agents, servers }: Status): Guarded[] {
  return [
    ...agents.map(({ agent, scope, problems, chosen, watched }): Guarded => {
      const state = problems.length + chosen.length > 0 ? 'doubtful' : watched === null ? 'on' : 'watched';
      return { name: agent, kind: 'agent', state, where: PLACE_TEXTS[scope] };
    }),
    ...servers.map(({ server, client, problem }): Guarded => {
      return { name: server, kind: 'server', state: problem === null ? 'on' : 'doubtful', where: client };
    }),
  ];
}

const PLACE_TEXTS = {
  project: 'this project',
  user: 'all your projects',
  machine: 'everybody on this machine',
} as const;

/** Sentences that name no command of their own, and what helps. */
const HELP: readonly (readonly [says: RegExp, help: Pick<Warning, 'command' | 'href'>])[] = [
  [/^hook "/, { command: null, href: '/policy#off' }],
  [/ says `observe: true`$/, { command: null, href: '/policy' }],
  [/^there is no policy here$/, { command: 'harness init', href: null }],
  [/^everything: paused/, { command: 'harness pause --off', href: null }],
];

export function warningOf(text: string): Warning {
  const named = /`(harness [^`]+)`/.exec(text)?.[1] ?? null;
  const help =
    named === null
      ? (HELP.find(([says]) => says.test(text))?.[1] ?? { command: 'harness doctor', href: null })
      : { command: named, href: null };
  return { id: hash('sha256', text, 'hex').slice(0, 16), text, ...help };
}
