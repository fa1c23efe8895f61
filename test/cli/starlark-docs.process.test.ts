/**
 * The examples of docs/starlark.md and docs/starlark-hosts.md do what the pages say: Starlark blocks through `harness starlark`, TypeScript blocks
 * as programs that import the built package. That those pass the strict compiler is held by
 * test/starlark/host-samples.process.test.ts.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { transformSync } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const page = ['starlark.md', 'starlark-hosts.md']
  .map((name) => readFileSync(join(root, 'docs', name), 'utf8'))
  .join('\n');

interface Example {
  readonly heading: string;
  readonly code: string;
  /** What the lines marked `->` promise to print, in order. */
  readonly promised: readonly string[];
}

function examples(language: string): Example[] {
  const found: Example[] = [];
  let heading = '';
  for (const part of page.split(/^(?=#{2,3} |```)/m)) {
    if (part.startsWith('#')) heading = part.slice(0, part.indexOf('\n')).replace(/^#+ /, '');
    const code = part.startsWith('```')
      ? new RegExp(`^\`\`\`${language}\\n([^]*)$`).exec(part)?.[1]
      : undefined;
    if (code === undefined) continue;
    const promised = [...code.matchAll(/(?:#|\/\/) -> (.*)$/gm)].map((match) => match[1]!);
    found.push({ heading, code, promised });
  }
  return found;
}

describe('the Starlark page', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'starlark-docs-'));
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(root, join(folder, 'node_modules/harness-hooks'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('has examples for both readers', () => {
    expect(examples('starlark').length).toBeGreaterThan(6);
    expect(examples('ts').length).toBeGreaterThan(5);
  });

  it.each(examples('starlark').map((example) => [example.heading, example] as const))(
    'tells policy authors the truth about: %s',
    (_heading, { code, promised }) => {
      const file = join(folder, 'example.star');
      writeFileSync(file, code);
      const command = join(root, 'dist/cli/harness.cjs');
      const printed = execFileSync(process.execPath, [command, 'starlark', file], { encoding: 'utf8' });
      expect(printed.trimEnd().split('\n')).toEqual(promised);
      expect(promised.length).toBeGreaterThan(0);
    },
  );

  it.each(examples('ts').map((example) => [example.heading, example] as const))(
    'tells host authors the truth about: %s',
    (_heading, { code, promised }) => {
      const file = join(folder, 'example.mjs');
      writeFileSync(file, transformSync(code, { loader: 'ts', format: 'esm' }).code);
      const printed = execFileSync(process.execPath, [file], { encoding: 'utf8' });
      expect(printed.trimEnd().split('\n')).toEqual(promised);
      expect(promised.length).toBeGreaterThan(0);
    },
  );
});
