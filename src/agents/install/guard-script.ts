/**
 * The text of `.harness/guard`, the script that every registered line runs. It is the same on every machine and is committed with
 * the project. The refusals in it are generated from the adapters' tables.
 */
import type { Adapter, EventRow } from '../adapter.ts';
import { denyAnswer, goOnAnswer } from '../deny.ts';
import { ANSWERED, MARK } from '../guard-line.ts';
import { markerOf } from './operation.ts';

/** What happens to calls on a machine without Harness. */
export type Missing = 'refuse' | 'warn';

export interface GuardScriptOptions {
  readonly adapters: readonly Adapter[];
  readonly missing: Missing;
  /** How many seconds the guard waits for an answer, and where that is shorter. */
  readonly limit: number;
  readonly limits: readonly { readonly agent: string; readonly event: string; readonly limit: number }[];
}

const WHY = 'REASON';

/** The guard's own refusal: Harness was killed, stopped, slow or broken. */
export const NO_WHOLE_ANSWER = 'Harness gave no whole answer in time. Run: harness doctor';

/** The guard's words on a machine without Harness, and the two commands that mend it. */
export function notInstalledText(agent: string): string {
  return `Harness is not installed on this machine. Run: npm ci, then: npx harness-hooks install ${agent}`;
}

export function guardScript({ adapters, missing, limit, limits }: GuardScriptOptions): string {
  const shorter = limits.map(({ agent, event, limit: own }) => `${agent}/${event}) limit=${own};;`).join(' ');
  return `#!/bin/sh
{ # ${markerOf('all')}: written by \`harness install\`, removed by \`harness uninstall\`. Commit it: it is the same on every machine.
# A coding agent runs this file for each of its events: sh .harness/guard AGENT EVENT [OPTION...] <payload
# It hands the payload to Harness and prints one whole answer as its last act. It exits ${ANSWERED} only then. After any other exit, also the 0
# of an empty file, the line in the agent's settings blocks the call. Braces make a file that was cut off a syntax error.
missing=${missing} # What happens on a machine without Harness: refuse, or warn (harness install --missing warn).
limit=${limit} agent=$1 event=$2; case $1/$2 in ${shorter} esac # The limit of an answer in seconds.
answer() { # Prints $1 and exits with $2.
  [ -z "$1" ] || printf %s "$1" || { echo 'Harness: the answer cannot be printed' >&2; exit 1; }; [ "$2" != 0 ] || exit ${ANSWERED}; exit "$2"
}
tell() { # Refuses or warns ($1) in the agent's own words, where it listens. $2 holds no quotes and no backslashes.
  why=$2 say='' code=0
  case $1:$agent/$event in
${arms('refuse', adapters, (adapter, row) => denyAnswer(adapter, row, WHY))}
${arms('warn', adapters, (adapter, row) => goOnAnswer(adapter, row, WHY))}
  esac
  [ "$1$code" = refuse0 ] || echo "$why" >&2; answer "$say" "$code"
}
# A guard in a project asks for that project, one in the user's policy folder for whatever the user works on.
case $0 in */.harness/guard) set -- "$@" --dir "\${0%/.harness/guard}";; *) set -- "$@" --user "\${0%/guard}";; esac
set -- "$@" --deadline $((limit * 750)) --mark
# The engine: the user's own copy, or the package of the project if that is newer, or the one on PATH.
case \${XDG_STATE_HOME:-} in /*) state=$XDG_STATE_HOME/harness;; *) state=\${HOME:-}/.local/state/harness;; esac
copy=$state/engine/current package=\${0%/.harness/guard}/node_modules/harness-hooks entry=dist/cli/hook.cjs
version() { # Sets $number to the version of the package in $1.
  v=; while IFS='"' read -r _ key _ v _; do [ "$key" != version ] || break; done <"$1/package.json"; v=\${v%%-*}
  case $v in *[!0-9.]*) v=;; esac; IFS=.; set -- $v; unset IFS; number=$((\${1:-0} * 1000000 + \${2:-0} * 1000 + \${3:-0})); }
node=$copy/node engine=; [ -x "$node" ] || node=node
if [ -f "$copy/$entry" ]; then engine=$copy; version "$copy"; own=$number; fi
if [ -f "$package/$entry" ]; then version "$package"; [ "$engine" ] && [ "$number" -le "$own" ] || engine=$package; fi
if [ "$engine" ] && command -v "$node" >/dev/null; then
  set -- "$node" "$engine/$entry" "$@"
  [ "$engine" = "$package" ] || ! [ -x "$copy/harness-client" ] || set -- "$copy/harness-client" "$state/daemon" $((limit * 900)) "$@"
elif command -v harness-hooks >/dev/null; then set -- harness-hooks hook "$@"
else tell $missing "${notInstalledText('$agent')}"; fi
# Runs it within the limit. The sleep must neither outlive this script nor hold a pipe of the agent open.
said=$({ "$@" <&3 3<&- & client=$!
  { t=; trap t=1 TERM; sleep $limit & trap "kill $!; exit" TERM
    if [ "$t" ]; then kill "$!"; else wait "$!" && kill -9 "$client"; fi; } >/dev/null 2>&1 </dev/null 3<&- & watch=$!
  { wait "$client"; code=$?; kill "$watch"; } 2>/dev/null
  exit "$code"; } 3<&0); code=$?
case $said in *'${MARK}') answer "\${said%'${MARK}'}" "$code";; esac
tell refuse '${NO_WHOLE_ANSWER}'
}
`;
}

/** One arm of a `case` for each text that is said, with all events at which it is. Events without a text have none. */
function arms(
  what: Missing,
  adapters: readonly Adapter[],
  answerOf: (adapter: Adapter, row: EventRow) => { readonly stdout: string; readonly exitCode: number },
): string {
  const events = new Map<string, string[]>();
  for (const adapter of adapters) {
    for (const row of adapter.events) {
      const { stdout, exitCode } = answerOf(adapter, row);
      if (stdout === '' && exitCode === 0) continue;
      const text = stdout.replaceAll("'", "'\\''").replaceAll(WHY, "'$why'");
      const says = `${stdout === '' ? '' : `say='${text}'`}${exitCode === 0 ? '' : `code=${exitCode}`}`;
      events.set(says, [...(events.get(says) ?? []), `${what}:${adapter.agent}/${row.native}`]);
    }
  }
  return [...events].map(([says, at]) => `  ${at.join('|')}) ${says};;`).join('\n');
}
