// One program inside the walls, for tests: what is asked for comes as JSON on stdin, how it ended goes as JSON to stdout. A
// process of its own, so that it can be another user, have another home and be started with descriptors that it should not hand on.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [dist] = process.argv.slice(2);
const load = (path) => import(pathToFileURL(join(dist, path)).href);
const { machineHost } = await load('base/host.js');
const { containedHost } = await load('sandbox/contain.js');
const { clamped } = await load('sandbox/sandbox.js');
const { lookForSandbox, sandboxProblem } = await load('sandbox/offer.js');

let text = '';
for await (const chunk of process.stdin) text += chunk;
const { sandbox, workspace, guarded, domains = [], request } = JSON.parse(text);
const inForce = clamped(null, sandbox);
if (request === undefined) {
  const offer = await lookForSandbox(machineHost, workspace);
  console.log(JSON.stringify({ problem: sandboxProblem(offer, inForce) }));
} else {
  const host = containedHost(machineHost, {
    sandbox: () => inForce,
    workspace,
    guarded: () => guarded,
    domains: () => domains,
  });
  console.log(
    JSON.stringify(
      await host.run({ cwd: workspace, env: {}, stdin: '', timeoutMs: 30_000, ...request }, null),
    ),
  );
}
process.exit(0);
