/**
 * Runs a TypeScript file of the tests in a Node process of its own, bundled first: with other flags, a small heap, or a
 * bound on its CPU time.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

export interface ChildResult {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ChildProgram {
  run(options?: {
    flags?: readonly string[];
    args?: readonly string[];
    cpuSeconds?: number;
  }): Promise<ChildResult>;
  remove(): void;
}

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));

export async function bundleChild(name: string): Promise<ChildProgram> {
  const folder = mkdtempSync(join(tmpdir(), 'starlark-child-'));
  const outfile = join(folder, 'child.cjs');
  await build({
    entryPoints: [fileURLToPath(new URL(`./children/${name}.ts`, import.meta.url))],
    absWorkingDir: PROJECT,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    outfile,
    logLevel: 'silent',
    // Children take their corpus as text; nothing in them may look for files beside the bundle.
    define: { 'import.meta.url': JSON.stringify(import.meta.url) },
  });
  return {
    run: ({ flags = [], args = [], cpuSeconds = 60 } = {}) =>
      runNode([...flags, outfile, ...args], cpuSeconds),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The bound is on CPU time, set by the shell, so that a busy machine fails nobody. */
function runNode(args: readonly string[], cpuSeconds: number): Promise<ChildResult> {
  return new Promise((resolve, reject) => {
    const script = `ulimit -t ${cpuSeconds}; exec "$@"`;
    const child = spawn('sh', ['-c', script, 'sh', process.execPath, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const text = { stdout: '', stderr: '' };
    child.stdout.on('data', (data) => (text.stdout += data));
    child.stderr.on('data', (data) => (text.stderr += data));
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal, ...text }));
  });
}
