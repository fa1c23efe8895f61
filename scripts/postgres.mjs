// A PostgreSQL of its own for tests and benchmarks: from Debian, installed if it is missing and this user may, on a free port, in a
// temporary folder, as a user without rights.
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Null if there is none and none can be installed. */
export async function startPostgres() {
  const bin = findPostgres() ?? install();
  if (bin === null) return null;
  const folder = mkdtempSync(join(tmpdir(), 'harness-postgres-'));
  const user = process.getuid() === 0 ? ordinaryUser() : null;
  chmodSync(folder, 0o755);
  if (user !== null) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const port = await freePort();
  const run = (program, args, quietly = false) => {
    const { status, stdout, stderr, error } = spawnSync(join(bin, program), args, {
      encoding: 'utf8',
      cwd: folder,
      ...(user !== null && { uid: user.uid, gid: user.gid }),
      env: { PATH: process.env.PATH, LC_ALL: 'C' },
      // A server that was started keeps inherited pipes open.
      stdio: program === 'pg_ctl' ? 'ignore' : 'pipe',
    });
    if (status !== 0 && !quietly)
      throw new Error(`${program} failed: ${error?.message ?? ''}${stdout ?? ''}${stderr ?? ''}`);
  };
  run('initdb', ['-D', data, '-U', 'hub', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync']);
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${folder}`;
  run('pg_ctl', ['-D', data, '-l', join(folder, 'log'), '-o', options, '-w', 'start']);
  return {
    ...{ bin, data, folder, port, user },
    url: (name) => `postgres://hub@127.0.0.1:${port}/${name}`,
    stop: () => {
      run('pg_ctl', ['-D', data, '-m', 'immediate', '-w', 'stop'], true);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function findPostgres() {
  const versions = '/usr/lib/postgresql';
  const found = existsSync(versions) ? readdirSync(versions).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = found.map((version) => join(versions, version, 'bin'));
  return folders.find((each) => existsSync(join(each, 'initdb'))) ?? null;
}

function install() {
  if (process.getuid() !== 0 || !existsSync('/usr/bin/apt-get')) return null;
  console.error('installing postgresql from Debian');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...args) =>
    spawnSync('apt-get', args, { env, stdio: 'ignore', timeout: 240_000 }).status === 0;
  const wanted = ['install', '-y', '--no-install-recommends', 'postgresql'];
  return apt(...wanted) || (apt('update') && apt(...wanted)) ? findPostgres() : null;
}

/** PostgreSQL refuses to run as root. */
function ordinaryUser() {
  for (const name of ['postgres', 'nobody']) {
    const id = (flag) => Number(spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout);
    if (id('-u') > 0) return { uid: id('-u'), gid: id('-g') };
  }
  throw new Error('there is no user without rights to run PostgreSQL as');
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
