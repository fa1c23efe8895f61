/**
 * The line that is registered with an agent. It runs the launcher and answers for one that is killed, stopped, hangs, is
 * gone or says something half: then the deny given here is printed, once and whole. It is plain POSIX shell and needs no
 * `timeout` program.
 *
 * What the launcher prints counts only if it ends with a mark that it writes last: an empty file in the launcher's place, or
 * a process that died between two writes, is no answer.
 */
export interface GuardLineOptions {
  /** Absolute path of the Node binary. */
  readonly node: string;
  /** Absolute path of the launcher's entry file. */
  readonly entry: string;
  /** Absolute path of the script that starts it, from a heap snapshot where there is one. Default: Node starts it. */
  readonly starter?: string;
  readonly agent: string;
  readonly event: string;
  /** Installed for a project, with the user's policy folder beside it, or for the user alone. */
  readonly scope: { readonly dir: string; readonly user?: string } | { readonly user: string };
  /** When this line stops waiting. Below the agent's own limit; the launcher gives itself three quarters of it. */
  readonly deadlineMs: number;
  /** Exact stdout of the answer for a launcher that does not answer. */
  readonly deny: string;
  /** Exit code that goes with it; 0 by default. */
  readonly denyExit?: number;
  readonly fail?: 'open' | 'closed';
  /** The client that asks the daemon, if it is there. */
  readonly native?: NativeClient;
}

export interface NativeClient {
  /** Absolute path of the program. */
  readonly program: string;
  /** Where the user's daemon listens. */
  readonly folder: string;
}

/** What a launcher that is asked for it with `--mark` writes after everything else. */
export const MARK = '#harness-answered#';

export function guardLine(options: GuardLineOptions): string {
  const { node, entry, agent, event, scope, deadlineMs, deny, denyExit = 0, fail, native, starter } = options;
  const launch = [
    node,
    entry,
    agent,
    event,
    ...('dir' in scope ? ['--dir', scope.dir] : []),
    ...(scope.user === undefined ? [] : ['--user', scope.user]),
    ...['--deadline', String(Math.floor(deadlineMs * 0.75))],
    ...(fail === 'open' ? ['--fail', 'open'] : []),
    '--mark',
  ];
  const seconds = deadlineMs % 1000 === 0 ? String(deadlineMs / 1000) : (deadlineMs / 1000).toFixed(3);
  const answered = quoted(MARK);
  // Snapshots are of a project's policy.
  const start = starter === undefined || !('dir' in scope) ? [] : ['/bin/sh', starter];
  const started = [...start, ...launch];
  return [
    ...(native === undefined ? [] : [nativePart(native, launch, start[1], options)]),
    // A job in the background reads nothing from stdin unless it is told to. Not with `exec`: that ends a shell without stdin.
    `o=$({ ${started.map(quoted).join(' ')} <&3 3<&- & p=$!`,
    // The sleep must neither outlive this line nor hold a pipe of the agent open.
    `{ t=; trap t=1 TERM; sleep ${seconds} & trap "kill $!; exit" TERM`,
    `if [ "$t" ]; then kill "$!"; else wait "$!" && kill -9 "$p"; fi; } >/dev/null 2>&1 </dev/null 3<&- & w=$!`,
    '{ wait "$p"; s=$?; kill "$w"; } 2>/dev/null',
    'exit "$s"; } 3<&0)',
    's=$?',
    `case $o in *${answered}) printf %s "\${o%${answered}}"; exit "$s";; esac`,
    // One that does not answer may be the snapshot's fault: the next call does without.
    ...(start.length === 0
      ? []
      : [`${[...start, '--forget', ...launch].map(quoted).join(' ')} >/dev/null 2>&1 </dev/null`]),
    `printf %s ${quoted(deny)}`,
    `exit ${denyExit}`,
  ].join('; ');
}

/**
 * The native client in the launcher's place. It keeps the time by itself and runs the launcher if no daemon answers; if it is
 * not there, the rest of the line does as ever. One that says nothing whole has read the payload: then only the deny is left.
 */
function nativePart(
  { program, folder }: NativeClient,
  launch: readonly string[],
  starter: string | undefined,
  { deadlineMs, deny, denyExit = 0 }: GuardLineOptions,
): string {
  const words = [
    ...[program, '--folder', folder, '--deadline', String(Math.floor(deadlineMs)), '--deny', deny],
    ...['--deny-exit', String(denyExit), ...(starter === undefined ? [] : ['--starter', starter])],
    ...['--', ...launch],
  ];
  const answered = quoted(MARK);
  return [
    `if [ -x ${quoted(program)} ]; then a=$(${words.map(quoted).join(' ')})`,
    's=$?',
    `case $a in *${answered}) printf %s "\${a%${answered}}"; exit "$s";; esac`,
    `printf %s ${quoted(deny)}`,
    `exit ${denyExit}`,
    'fi',
  ].join('; ');
}

/** One word for a POSIX shell, whatever is in it. */
export function quoted(word: string): string {
  return /^[A-Za-z0-9_/.:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
