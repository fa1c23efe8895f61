// A fleet of three machines on this computer: a hub, keys, a signed policy, three homes that take it, and what the hub then shows.
//     node examples/19-fleet/fleet.mjs
// Everything is in a temporary folder and gone at the end. HARNESS names another command than `npx harness-hooks`.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const [command, ...first] = (process.env.HARNESS ?? 'npx harness-hooks').split(' ');
const root = mkdtempSync(join(tmpdir(), 'harness-fleet-example-'));
const hubFolder = join(root, 'hub');

function home(name) {
  const folder = join(root, name);
  mkdirSync(join(folder, 'work'), { recursive: true });
  return { ...process.env, HOME: folder, XDG_STATE_HOME: '', XDG_CONFIG_HOME: '' };
}
const author = home('author');

function harness(env, args, cwd = root, may = [0]) {
  const { status, stdout, stderr } = spawnSync(command, [...first, ...args], { env, cwd, encoding: 'utf8' });
  if (!may.includes(status))
    throw new Error(`harness ${args.join(' ')} ended with ${status}: ${stderr}${stdout}`);
  return stdout;
}
const json = (env, args) => JSON.parse(harness(env, [...args, '--json']));

const hub = spawn(command, [...first, 'hub', 'serve', '--dir', hubFolder, '--port', '0', '--json'], {
  env: author,
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  const { url } = JSON.parse((await once(hub.stdout, 'data')).toString());
  console.log(`hub on ${url}`);

  for (const name of ['root.key', 'alice.key']) harness(author, ['tape', 'keygen', name]);
  writeFileSync(join(root, 'hub.pub'), harness(author, ['hub', 'key', '--dir', hubFolder]));
  const keys = ['--key', 'root.key', '--authors', 'alice.key.pub', '--hub-key', 'hub.pub'];
  const { digest } = json(author, ['fleet', 'root', ...keys, '--out', 'root.json']);
  harness(author, ['hub', 'root', 'root.json', '--dir', hubFolder]);
  const alice = ['--hub', url, '--key', 'alice.key'];
  process.stdout.write(harness(author, ['fleet', 'publish', here, ...alice]));
  process.stdout.write(harness(author, ['fleet', 'rollout', '1', ...alice]));

  for (const name of ['ada', 'bob', 'eve']) {
    const env = home(name);
    const work = join(root, name, 'work');
    cpSync(join(here, 'work'), work, { recursive: true });
    const { token } = json(author, ['hub', 'token', '--join', '--dir', hubFolder]);
    harness(env, ['fleet', 'join', url, '--token', token, '--root', digest, '--name', name, '--user']);
    harness(env, ['run', '.', '--script', 'script.yaml', '--prompt', 'push it'], work);
    process.stdout.write(`${name}: ${harness(env, ['fleet', 'agent', '--once'])}`);
  }

  const { token } = json(author, ['hub', 'token', '--viewer', '--dir', hubFolder]);
  const viewer = ['--hub', url, '--token', token];
  process.stdout.write(harness(author, ['fleet', 'machines', ...viewer], root, [0, 1]));
  process.stdout.write(harness(author, ['fleet', 'find', '--decision', 'block', ...viewer]));
  process.stdout.write(harness(author, ['hub', 'check', '--dir', hubFolder]));
} finally {
  const ended = once(hub, 'exit');
  hub.kill();
  await ended;
  rmSync(root, { recursive: true, force: true });
}
