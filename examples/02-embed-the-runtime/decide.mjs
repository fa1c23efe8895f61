// Only the hook runtime: a program that has its own loop asks before it acts, and obeys.
import { Engine, loadProject, machineHost, RunState } from 'harness-hooks';

const project = await loadProject(import.meta.dirname);
const engine = new Engine({ hooks: project.hooks, host: machineHost, run: new RunState(project.settings) });

async function refund(args) {
  const outcome = await engine.decide('tool.pre', { id: '1', name: 'refund', args });
  if (outcome.action === 'block') return `refused by ${outcome.hook}: ${outcome.reason}`;
  // What hooks rewrote is what runs.
  const { amount, currency } = outcome.payload.args;
  return `refunded ${amount} ${currency}`;
}

console.log(await refund({ amount: 20 }));
console.log(await refund({ amount: 2000 }));
