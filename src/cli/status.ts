/**
 * `harness status`: one screen on what is guarded here: agents, policy, the last decision, and every guard that is off. It only
 * looks; `doctor` tries.
 */
import { type LastDecision, type Status, statusOf } from '../project/index.ts';
import { alignColumns, type Cell, countOf, type Output, type Run } from '../terminal/index.ts';
import { daemonWords } from './daemon.ts';

export const run: Run = async (args, output) => {
  const status = await statusOf(args.positionals[0] ?? '.');
  if (args.has('json')) output.line(JSON.stringify(dataOf(status)));
  else print(status, output);
  return 0;
};

function print(status: Status, output: Output): void {
  const { dir, agents, servers, policy, layers, trust, last, daemon, off, notHere, audited } = status;
  const title = (text: string) => output.line(output.paint('bold', text));
  title(dir);
  const rows: Cell[][] = [
    [{ text: '  policy' }, { text: policyWords(policy) }],
    ...layers.map(({ name, dir: folder }, at): Cell[] => [
      { text: at === 0 ? '  layers' : '' },
      { text: `${name} ${folder}` },
    ]),
    [{ text: '  trust' }, { text: trust ?? 'nothing is asked for' }],
    [{ text: '  daemon' }, { text: daemonWords(daemon) }],
    [{ text: '  last' }, { text: last === null ? 'nothing was decided yet' : lastWords(last) }],
  ];
  for (const line of alignColumns(rows, output.paint)) output.line(line);
  if (agents.length > 0) {
    title('agents');
    const lines = agents.map(({ agent, scope, registered, problems }): Cell[] => [
      { text: `  ${agent}` },
      { text: scope },
      { text: countOf(registered.length, 'event') },
      problems.length === 0
        ? { text: 'registered', style: 'green' }
        : { text: countOf(problems.length, 'problem'), style: 'red' },
    ]);
    for (const line of alignColumns(lines, output.paint)) output.line(line);
  }
  if (servers.length > 0) {
    title('MCP servers');
    const lines = servers.map(({ server, client, scope, problem }): Cell[] => [
      { text: `  ${server}` },
      { text: client },
      { text: scope },
      problem === null ? { text: 'behind the proxy', style: 'green' } : { text: 'not guarded', style: 'red' },
    ]);
    for (const line of alignColumns(lines, output.paint)) output.line(line);
  }
  if (audited.length > 0) title('in audit');
  for (const sentence of audited) output.line(`  ${sentence}`);
  if (notHere.length > 0) title('hooks on events that no agent here fires');
  for (const sentence of notHere) output.line(`  ${sentence}`);
  const none = notHere.length === 0 ? 'no guard is off' : 'no other guard is off';
  title(off.length === 0 ? none : 'guards that are off');
  for (const sentence of off) output.line(`  ${output.paint('red', '!')} ${sentence}`);
}

function policyWords({ digest, strict, hooks }: Status['policy']): string {
  if (digest === null) return 'none';
  return `${digest.slice(0, 12)}, ${countOf(hooks, 'hook')}, ${strict ? 'strict' : 'not strict'}`;
}

function lastWords({ at, event, action, hook, host }: LastDecision): string {
  const time = at === null ? '' : `${new Date(at).toISOString().replace('T', ' ').slice(0, 19)} `;
  return `${time}${host} ${event}: ${action}${hook === null ? '' : ` by ${hook}`}`;
}

function dataOf({ agents, ...status }: Status) {
  return {
    ...status,
    agents: agents.map(({ registered, ...seen }) => ({
      ...seen,
      events: registered.map(({ event }) => event),
    })),
  };
}
