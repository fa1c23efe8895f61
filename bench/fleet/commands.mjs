// Hubs and machines as commands of their own, each with a home folder.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { CLI_FILE } from '../../scripts/build-cli.mjs';

const children = new Set();

export function homeAt(folder) {
  mkdirSync(folder, { recursive: true });
  const env = { PATH: process.env.PATH, HOME: folder };
  const harness = (...args) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [CLI_FILE, ...args], {
      env,
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`harness ${args.join(' ')}: ${stderr}`);
    return stdout;
  };
  const start = (...args) => {
    const child = spawn(process.execPath, [CLI_FILE, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    children.add(child);
    child.on('exit', () => children.delete(child));
    return child;
  };
  return { folder, harness, start };
}

/** `place` is `--dir` or `--db` with its value. */
export async function startHub({ harness, start }, place) {
  if (place[0] === '--db') harness('hub', 'migrate', ...place);
  const hub = start('hub', 'serve', ...place, '--port', '0', '--no-page', '--json');
  const [line] = await once(hub.stdout, 'data');
  return { pid: hub.pid, url: JSON.parse(line).url };
}

export function endAll() {
  for (const child of children) child.kill('SIGKILL');
}
