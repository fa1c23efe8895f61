// One program inside the walls, for tests: what is asked for comes as JSON on stdin, how it ended goes as JSON to stdout. A
// process of its own, so that it can be another user, have another home and be started with descriptors that it should not hand on. It
// is the first one of a PID namespace, and what the program has left in there is part of the answer, as is how often the listener was reached.
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [dist] = process.argv.slice(2);
const load = (path) => import(pathToFileURL(join(dist, path)).href);
const { machineHost } = await load('machine/host.js');
const { containedHost } = await load('machine/walls/contain.js');
const { clamped } = await load('machine/walls/sandbox.js');
const { findSandbox, sandboxProblem } = await load('machine/walls/offer.js');

let text = '';
for await (const chunk of process.stdin) text += chunk;
const { sandbox, workspace, guarded, domains = [], request, port } = JSON.parse(text);
const inForce = clamped(null, sandbox);
if (request === undefined) {
  const offer = await findSandbox(machineHost, workspace);
  console.log(JSON.stringify({ problem: sandboxProblem(offer, inForce) }));
} else {
  const host = containedHost(machineHost, {
    sandbox: () => inForce,
    workspace,
    guarded: () => guarded,
    domains: () => domains,
  });
  let reached = 0;
  const server = createServer((socket) => {
    reached++;
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 8\r\nconnection: close\r\n\r\nlistener');
  });
  if (port !== undefined) await new Promise((resolve) => server.listen(port, '0.0.0.0', resolve));
  const done = await host.run({ cwd: workspace, env: {}, stdin: '', timeoutMs: 30_000, ...request }, null);
  console.log(JSON.stringify({ ...done, reached, left: await left() }));
}
process.exit(0);

/** Command lines that are still there after a while: the kernel may need a moment to end what it was told to. */
async function left() {
  for (let tries = 0; ; tries++) {
    const lines = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && name !== '1')
      .map(commandLine)
      .filter((line) => line !== '');
    if (lines.length === 0 || tries === 100) return lines;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function commandLine(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
}
