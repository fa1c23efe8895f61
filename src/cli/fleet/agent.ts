/** `harness fleet agent`: sends tapes to the hub, once or until it is interrupted. */
import { heartbeat } from '../../agents/index.ts';
import { enrolled, runAgent, type Shipped, type ShipResult, shipOnce } from '../../fleet/index.ts';
import { machineHost } from '../../machine/index.ts';
import { countOf, harmless, type Output, type Run, thousands } from '../../terminal/index.ts';

export const run: Run = async (args, output) => {
  const machine = enrolled(machineHost);
  const { hub } = machine.enrolment;
  const onProgress = progress(output);
  if (args.has('once')) {
    const { state, policy, ...shipped } = await shipOnce({ enrolled: machine, onProgress, unjudged });
    if (args.has('json')) output.line(JSON.stringify({ hub, state, policy, ...shipped }));
    else {
      printPolicy(policy, output);
      printProblems(shipped, output);
      output.line(shipped.entries === 0 ? `${hub} has everything` : `${shippedLine(shipped)} to ${hub}`);
      if (state !== 'active')
        output.note(`The hub has this machine as ${state}. See there: harness hub machines`);
    }
    return shipped.problems.length === 0 && policy?.kind !== 'refused' ? 0 : 1;
  }
  const over = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => over.abort());
  output.note(`Sending tapes to ${hub} as they grow. Decisions never wait for this.`);
  await runAgent({
    enrolled: machine,
    signal: over.signal,
    onProgress,
    unjudged,
    onPass: (shipped) => {
      if (args.has('json')) output.line(JSON.stringify(shipped));
      else {
        printProblems(shipped, output);
        output.line(shippedLine(shipped));
      }
    },
    onPolicy: (pulled) => {
      if (args.has('json')) output.line(JSON.stringify({ policy: pulled }));
      else printPolicy(pulled, output);
    },
    onFailure: (error, nextMs) =>
      output.note(`${harmless(error.message)}; again in ${Math.round(nextMs / 1000)} s`),
  });
  return 0;
};

const unjudged = () => heartbeat().length;

function printPolicy(policy: ShipResult['policy'], output: Output): void {
  if (policy?.kind === 'refused')
    output.line(`${output.paint('red', 'policy not taken')}  ${harmless(policy.problem)}`);
  if (policy?.kind === 'new') output.line(`Policy version ${policy.policy.version} is in force`);
}

function shippedLine({ entries, tapes, bytes }: Shipped): string {
  return `Sent ${thousands(entries)} entries of ${countOf(tapes, 'tape')} (${thousands(bytes)} bytes)`;
}

function printProblems({ problems }: Shipped, output: Output): void {
  for (const { file, problem } of problems)
    output.line(`${output.paint('red', 'not taken')}  ${harmless(file)}: ${harmless(problem)}`);
}

/** On a terminal, once a second. */
function progress(output: Output): (shipped: Shipped) => void {
  if (process.stderr.isTTY !== true) return () => {};
  let said = Date.now();
  return ({ entries, bytes }) => {
    if (Date.now() - said < 1000) return;
    said = Date.now();
    output.note(`sending: ${thousands(entries)} entries, ${thousands(bytes)} bytes`);
  };
}
