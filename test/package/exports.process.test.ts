/**
 * What the package offers. Every name of every entry point stands in exports.txt, so that a name is added or taken away on
 * purpose: `npx vitest run test/package -u` writes it anew.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENTRY_POINTS, type EntryPoint, exportedNames, ROOT } from './entry-points.ts';

let scratch = '';
// Inside the repository, so that packages are found.
beforeAll(() => {
  scratch = mkdtempSync(join(ROOT, 'node_modules/.harness-exports-'));
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Only a graph without a top-level `await` can become CommonJS; what it then exports is what `require` gives. */
async function required({ specifier, source }: EntryPoint): Promise<Record<string, unknown>> {
  const { outputFiles } = await build({
    entryPoints: [source],
    bundle: true,
    packages: 'external',
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    write: false,
    logLevel: 'silent',
  });
  const file = join(scratch, `${specifier.replaceAll('/', '-')}.cjs`);
  writeFileSync(file, outputFiles[0]!.contents);
  return createRequire(file)(file) as Record<string, unknown>;
}

describe('the package', () => {
  it('exports the names of exports.txt, and no other', async () => {
    const text = ENTRY_POINTS.map(({ specifier, source }) => {
      const { values, types } = exportedNames(source);
      return [`${specifier}`, ...values, ...types.map((type) => `type ${type}`)].join('\n  ');
    }).join('\n\n');
    await expect(`${text}\n`).toMatchFileSnapshot('exports.txt');
  });

  it.each(ENTRY_POINTS)('$specifier can be required, and has the values that are listed', async (entry) => {
    const names = Object.keys(await required(entry)).filter((name) => name !== 'default');
    expect(names.sort()).toEqual(exportedNames(entry.source).values);
  });

  it('can be required without a condition that only modules have', () => {
    const { exports } = createRequire(import.meta.url)('../../package.json') as {
      exports: Record<string, Record<string, string> | string>;
    };
    const conditions = Object.values(exports).flatMap((target) =>
      typeof target === 'string' ? [] : [Object.keys(target).join()],
    );
    expect(new Set(conditions)).toEqual(new Set(['types,default']));
  });
});
