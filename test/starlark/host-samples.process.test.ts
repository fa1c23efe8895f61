/**
 * The examples for hosts in docs/starlark-hosts.md: each passes the strict compiler, with the types hosts get, and prints what the
 * page says.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const run = promisify(execFile);

interface Sample {
  readonly file: string;
  readonly code: string;
  readonly promised: readonly string[];
}

const page = readFileSync(join(root, 'docs/starlark-hosts.md'), 'utf8');
const samples: Sample[] = [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code], i) => ({
  file: `sample-${i + 1}.ts`,
  code: code!,
  promised: [...code!.matchAll(/\/\/ -> (.*)$/gm)].map((match) => match[1]!),
}));

describe('the examples for hosts', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'starlark-samples-'));
    mkdirSync(join(folder, 'samples'));
    for (const { file, code } of samples) writeFileSync(join(folder, 'samples', file), code);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('are there, all of them in TypeScript', () => {
    expect(samples.length).toBeGreaterThan(9);
    expect(page).not.toMatch(/^```(js|javascript)$/m);
    for (const { promised } of samples) expect(promised.length).toBeGreaterThan(0);
  });

  it('pass the strict compiler', async () => {
    const config = {
      extends: join(root, 'tsconfig.json'),
      compilerOptions: {
        types: ['node'],
        typeRoots: [join(root, 'node_modules/@types')],
        paths: { 'harness-hooks/starlark': [join(root, 'src/exports/starlark.ts')] },
        // The samples are modules of their own; the settings of this project say nothing about them.
        verbatimModuleSyntax: true,
        noUnusedLocals: true,
      },
      include: ['samples/*.ts'],
    };
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const { stdout } = await run(join(root, 'node_modules/.bin/tsc'), ['-p', folder]).catch(
      (error: { stdout: string }) => error,
    );
    expect(stdout).toBe('');
  });

  it('print what the page says', async () => {
    await build({
      entryPoints: samples.map(({ file }) => join(folder, 'samples', file)),
      bundle: true,
      splitting: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      outdir: folder,
      outExtension: { '.js': '.mjs' },
      alias: { 'harness-hooks/starlark': join(root, 'src/exports/starlark.ts') },
      external: ['re2js'],
      logLevel: 'silent',
    });
    // One process for all: starting it takes longer than any of them.
    const imports = samples.map(({ file }) => `await import('./${file.replace('.ts', '.mjs')}');\n`);
    writeFileSync(join(folder, 'all.mjs'), imports.join(''));
    const { stdout, stderr } = await run(process.execPath, [join(folder, 'all.mjs')]);
    expect(stderr).toBe('');
    expect(stdout.trimEnd().split('\n')).toEqual(samples.flatMap(({ promised }) => promised));
  });
});
