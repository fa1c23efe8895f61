// Builds the native client for the systems that it ships for, with the compilers that are there: Debian's musl-tools. Static, so that one
// file runs on every distribution. Without a compiler there is no file, and `harness install` compiles the client on the user's machine
// or does without it. So it does on arm64, by decision: with Debian's cross compiler and the files of musl-dev:arm64 the client is 67 kB,
// 31 kB packed, for which the package of at most 2 MB has no room; with a static glibc it is 600 kB.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const SOURCE = join(root, 'native/harness-hook.c');

/** By `process.platform-process.arch`. */
export const NATIVE_TARGETS = {
  'linux-x64': 'musl-gcc',
};

export function nativeFile(target) {
  return join(root, 'dist/native', target, 'harness-client');
}

export function buildNative() {
  for (const [target, compiler] of Object.entries(NATIVE_TARGETS)) {
    if (spawnSync(compiler, ['--version'], { stdio: 'ignore' }).status !== 0) continue;
    const file = nativeFile(target);
    mkdirSync(dirname(file), { recursive: true });
    const flags = ['-Os', '-static', '-s', '-Wall', '-Wextra', '-Werror'];
    const { status, stderr } = spawnSync(compiler, [...flags, '-o', file, SOURCE], { encoding: 'utf8' });
    if (status === 0) continue;
    rmSync(dirname(file), { recursive: true, force: true });
    throw new Error(`${compiler} cannot compile ${SOURCE}: ${stderr}`);
  }
}
