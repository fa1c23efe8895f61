/**
 * Every TypeScript sample of README.md and docs/ compiles under strict TypeScript against the entry points of the package,
 * runs to its end, and prints what stands below it.
 */
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { remove } from '../support/remove.ts';
import { ENTRY_POINTS, ROOT } from './entry-points.ts';
import { GIVEN, SAMPLES } from './samples.ts';

/** Inside the repository, so that packages are found; a folder a sample, with the projects the documents speak of. */
const scratch = mkdtempSync(join(ROOT, 'node_modules/.harness-samples-'));
const fileOf = (index: number) => join(scratch, `sample-${index}.ts`);

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function run(args: readonly string[], cwd: string): Promise<Ran> {
  const child = spawn(process.execPath, args, {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 120_000,
    // Clients of models are made, not used.
    env: { ...process.env, OPENAI_API_KEY: 'none', ANTHROPIC_API_KEY: 'none' },
  });
  const out: Record<'stdout' | 'stderr', string> = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].on('data', (chunk: Buffer) => {
      out[stream] += chunk.toString();
    });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, ...out })));
}

beforeAll(async () => {
  cpSync(join(ROOT, 'examples'), join(scratch, 'examples'), { recursive: true });
  cpSync(join(ROOT, 'examples/01-governed-agent'), join(scratch, 'my-agent'), { recursive: true });
  for (const [index, { id, code }] of SAMPLES.entries())
    writeFileSync(fileOf(index), `${GIVEN[id] ?? ''}\n${code}\nexport {};\n`);
  await build({
    entryPoints: SAMPLES.map((_, index) => fileOf(index)),
    outdir: scratch,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    packages: 'external',
    platform: 'node',
    target: 'node20',
    format: 'esm',
    logLevel: 'silent',
    alias: Object.fromEntries(ENTRY_POINTS.map(({ specifier, source }) => [specifier, source])),
  });
});

afterAll(() => remove(scratch));

describe('the samples of the documents', () => {
  it('are there, and what is given to one is given to a sample there is', () => {
    const ids = SAMPLES.map(({ id }) => id);
    expect(ids).toContain('README.md 1');
    expect(ids.length).toBeGreaterThan(20);
    expect(Object.keys(GIVEN).filter((id) => !ids.includes(id))).toEqual([]);
  });

  it('compile under strict TypeScript', async () => {
    const paths = Object.fromEntries(ENTRY_POINTS.map(({ specifier, source }) => [specifier, [source]]));
    const config = {
      extends: join(ROOT, 'tsconfig.json'),
      compilerOptions: { paths, noUnusedLocals: false, noUnusedParameters: false },
      include: ['*.ts'],
      exclude: [],
    };
    writeFileSync(join(scratch, 'tsconfig.json'), JSON.stringify(config));
    const typescript = createRequire(import.meta.url).resolve('typescript/package.json');
    const { stdout } = await run(
      [join(dirname(typescript), 'bin/tsc'), '-p', scratch, '--pretty', 'false'],
      scratch,
    );
    const named = stdout.replace(/^.*sample-(\d+)\.ts/gm, (_, index) => SAMPLES[Number(index)]!.id);
    expect(named).toBe('');
  });

  it.concurrent.each(SAMPLES.map(({ id, prints }, index) => [id, prints, index] as const))(
    '%s runs as it is printed',
    async (_id, prints, index) => {
      const ran = await run([join(scratch, `sample-${index}.mjs`)], scratch);
      expect(ran).toMatchObject({ code: 0, stderr: '', ...(prints !== null && { stdout: prints }) });
    },
  );
});
