/**
 * The native client of this user: compiled from the source that ships, once for each version of it, and kept where only the user
 * can write. Its name holds the digest of its source, so that it is never taken for another.
 */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { NativeClient } from '../adapters/guard-line.ts';
import { machineHost } from '../base/host.ts';
import { sha256Hex } from '../base/sha256.ts';
import { daemonFolder } from '../daemon/place.ts';
import { openFolder } from '../policy/state-folder.ts';
import { stateAt } from './agents-place.ts';
import { UsageError } from './command.ts';

/** Static starts faster; not every system has the libraries for it. */
const WAYS = [['-O2', '-static'], ['-O2']] as const;
const COMPILE_MS = 60_000;

/** Where it is, or would be; null if the source does not ship with this copy. */
export function nativeClient(): NativeClient | null {
  const folder = daemonFolder(machineHost);
  const source = sourceFile();
  if (folder === null || !existsSync(source)) return null;
  const digest = sha256Hex(readFileSync(source, 'utf8')).slice(0, 16);
  return { program: join(stateAt(), 'native', `harness-hook-${digest}`), folder };
}

/** Why the client is not to be used, or null. */
export function nativeProblem({ program }: NativeClient): string | null {
  const found = lstatSync(program, { throwIfNoEntry: false });
  if (found === undefined) return 'it is not there';
  const own = found.isFile() && found.uid === process.getuid?.() && (found.mode & 0o022) === 0;
  return own && (found.mode & 0o100) !== 0 ? null : 'it is not a program that only its owner can change';
}

/** Compiles it, if it is not there. Throws in words what is missing. */
export async function buildNative(): Promise<NativeClient> {
  const client = nativeClient();
  if (client === null) throw new UsageError(`--native: the source is missing: want ${sourceFile()}`);
  if (nativeProblem(client) === null) return client;
  const folder = dirname(client.program);
  const problem = openFolder(stateAt()) ?? openFolder(folder);
  if (problem !== null) throw new UsageError(problem);
  const scratch = mkdtempSync(join(folder, 'build-'));
  try {
    const built = join(scratch, 'harness-hook');
    let said = '';
    for (const way of WAYS) {
      const argv = ['cc', ...way, '-o', built, sourceFile()];
      const request = { program: { argv }, cwd: scratch, env: {}, stdin: '', timeoutMs: COMPILE_MS };
      const { exitCode, startError, stderr } = await machineHost.run(request, null);
      if (exitCode === 0 && existsSync(built)) {
        chmodSync(built, 0o700);
        renameSync(built, client.program);
        return client;
      }
      said = startError?.message ?? stderr.trim().slice(0, 300);
    }
    throw new UsageError(
      `--native: it cannot be compiled: ${said}; without --native everything works as well`,
    );
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Beside the built command, in the package. */
function sourceFile(): string {
  return join(dirname(realpathSync(process.argv[1] ?? '.')), '..', '..', 'native', 'harness-hook.c');
}
