/**
 * Runs shell texts in an empty root: mount, PID, network, IPC and UTS namespaces of their own, no rights, nothing to write but
 * a scratch folder. Where the machine has no namespaces it says so and runs nothing; there is no way around it.
 */
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isRoot, unshareWords } from '../support/enclosed.ts';

const ENTER = fileURLToPath(new URL('./enter-sandbox.sh', import.meta.url));
const NEEDED = [
  'dash',
  'bash',
  'unshare',
  'setpriv',
  'env',
  'nice',
  'nohup',
  'timeout',
  'xargs',
  'cat',
  'tee',
  'base64',
  'rev',
  'tr',
  'ldd',
];

/** Why texts cannot be run here, or null. */
export function whyNoSandbox(): string | null {
  if (process.platform !== 'linux') return `want Linux namespaces, got ${process.platform}`;
  for (const program of NEEDED) {
    if (spawnSync('sh', ['-c', 'command -v "$1"', 'sh', program]).status !== 0)
      return `${program} is not installed`;
  }
  const tried = spawnSync('unshare', [...unshareWords(), '--', 'true']);
  return tried.status === 0 ? null : `unshare: ${String(tried.stderr).trim() || 'not allowed'}`;
}

export interface Batch {
  /** What the driver runs, as dash text; it stands in the scratch folder and sees it as /work. */
  readonly driver: string;
  /** Folders to make in it. */
  readonly folders: readonly string[];
  /** More text for the driver, as /work/texts: a word of a command line is bounded. */
  readonly texts?: string;
  readonly seconds: number;
}

export interface BatchResult {
  /** False if it was stopped for taking too long. */
  readonly finished: boolean;
  readonly log: Buffer;
  readonly out: Buffer;
  readonly errors: string;
}

/** The first lines of every driver: refuses to go on with rights, or outside of the sandbox. */
const REFUSE = `
[ -e /sandbox ] && [ ! -e /etc ] || { echo 'not in the sandbox' >&2; exit 97; }
while read -r key value; do
  case $key in CapEff:|CapPrm:|CapBnd:) [ "$value" = 0000000000000000 ] || { echo "rights left: $key $value" >&2; exit 97; };; esac
done < /proc/self/status
ulimit -c 0 -f 20000 2>/dev/null; ulimit -t 20; ulimit -v 1000000; ulimit -p 2000
PATH=/bin HOME=/home/nobody; export PATH HOME
FUZZ_END=$(printf '\\001'); export FUZZ_END
`;
const EMPTY = Buffer.alloc(0);

/** Runs one driver; never rejects. */
export function runBatch({ driver, folders, texts = '', seconds }: Batch): Promise<BatchResult> {
  const scratch = mkdtempSync(join(tmpdir(), 'harness-fuzz-'));
  const root = join(scratch, 'root');
  const work = join(scratch, 'work');
  for (const folder of [root, work, ...folders.map((each) => join(work, each))]) {
    mkdirSync(folder);
    chmodSync(folder, 0o777);
  }
  chmodSync(scratch, 0o755);
  writeFileSync(join(work, 'driver.sh'), REFUSE + driver);
  writeFileSync(join(work, 'texts'), texts);
  for (const file of ['log', 'out']) {
    writeFileSync(join(work, file), '');
    chmodSync(join(work, file), 0o666);
  }
  const user = isRoot ? 'root' : 'user';
  const args = [...unshareWords(), '--', '/bin/sh', ENTER, root, work, user];
  const child = spawn('unshare', args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
  });
  let errors = '';
  child.stderr.on('data', (data: Buffer) => {
    if (errors.length < 4000) errors += data;
  });
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    child.kill('SIGKILL');
  }, seconds * 1000);
  return new Promise((resolve) => {
    const end = (code: number | null) => {
      clearTimeout(timer);
      const read = (file: string) => {
        try {
          return readFileSync(join(work, file));
        } catch {
          return EMPTY;
        }
      };
      const result = { finished: !late && code === 0, log: read('log'), out: read('out'), errors };
      rmSync(scratch, { recursive: true, force: true });
      resolve(result);
    };
    child.on('error', () => end(null));
    child.on('close', end);
  });
}

/** Text in single quotes, as a word of the driver. */
export function quoteWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
