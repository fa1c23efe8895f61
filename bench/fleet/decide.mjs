// What a decision costs while the agent of the fleet sends its tape, beside the same without: CPU of the deciding process, in turns. The agent
// is stopped and continued, so that after each turn without it there is more to send than in a day's work.
import { cpSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { median, printTable } from '../measure.mjs';
import { homeAt, startHub } from './commands.mjs';
import { sources } from './sources.mjs';

const GOVERNED = join(dirname(fileURLToPath(import.meta.url)), '../governed');
const TURNS = 4 * Number(process.env.BENCH_ROUNDS ?? 10);
const CALLS = 400;
const PAUSE_MS = 300;

export async function benchDecide(_server, scratch) {
  const fleet = await sources();
  const home = homeAt(join(scratch, 'decide'));
  const place = ['--dir', join(scratch, 'decide-hub')];
  const hub = await startHub(home, place);
  const { token } = JSON.parse(home.harness('hub', 'token', '--join', ...place, '--json'));
  home.harness('fleet', 'join', hub.url, '--token', token);
  const project = join(scratch, 'project');
  mkdirSync(project);
  cpSync(GOVERNED, project, { recursive: true });
  // Sessions of this process tell the agent of this home where their tapes are.
  process.env.HOME = home.folder;
  const policy = await fleet.openPolicy(project, { host: fleet.machineHost });
  const target = join(project, '.harness/runs/bench.jsonl');
  const tape = fleet.openSessionTape(policy, { target, session: 'bench', firedBy: 'bench' });
  const answers = fleet.policyAnswers(policy, { tape, session: 'bench' });
  let calls = 0;
  const decide = async () => {
    const args = { command: `npm test -- --run src/app${calls++}`, description: 'Run the unit tests' };
    const body = JSON.stringify({
      event: 'tool.pre',
      payload: { id: `call_${calls}`, name: 'run_command', args },
    });
    const { status } = await answers('POST', '/v1/decide', async () => body);
    if (status !== 200) throw new Error(`status ${status}`);
  };
  const turn = async () => {
    const [began, before] = [performance.now(), process.cpuUsage()];
    for (let i = 0; i < CALLS; i++) await decide();
    const { user, system } = process.cpuUsage(before);
    return { cpu: (user + system) / CALLS, clock: ((performance.now() - began) * 1000) / CALLS };
  };
  const agent = home.start('fleet', 'agent', '--json');
  let sent = 0;
  agent.stdout.on('data', (line) => {
    sent += String(line).split('\n').length - 1;
  });
  for (let i = 0; i < 20; i++) await turn();
  const pairs = [];
  for (let i = 0; i < TURNS; i++) {
    const pair = {};
    // Each goes first as often as the other.
    for (const name of i % 2 === 0 ? ['without', 'with'] : ['with', 'without']) {
      agent.kill(name === 'with' ? 'SIGCONT' : 'SIGSTOP');
      await sleep(PAUSE_MS);
      pair[name] = await turn();
    }
    pairs.push(pair);
  }
  if (sent === 0) throw new Error('the agent sent nothing');
  const of = (name, what) => median(pairs.map((pair) => pair[name][what]));
  printTable(
    `A decision with its tape, ${TURNS} turns of ${CALLS}; µs`,
    ['', 'CPU', 'clock'],
    ['without', 'with'].map((name) => [
      `${name} the agent`,
      of(name, 'cpu').toFixed(1),
      of(name, 'clock').toFixed(1),
    ]),
  );
  return [['a decision with the agent to one without, CPU', of('with', 'cpu') / of('without', 'cpu'), 1.02]];
}
