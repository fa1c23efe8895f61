/**
 * What a TypeScript program pays that embeds Harness, and what its editor shows: the declarations that ship, built here, compiled in
 * a folder that has nothing else.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { API } from 'typescript/unstable/sync';
import { afterAll, describe, expect, it } from 'vitest';
import { slimDeclarations } from '../../scripts/slim-declarations.mjs';
import { remove } from '../support/remove.ts';
import { ENTRY_POINTS, ROOT } from './entry-points.ts';

const MOST_TYPES = 8_000;
const TSC = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
const PROGRAM = `import { openPolicy } from 'harness-hooks';

const policy = await openPolicy();
const outcome = await policy.decide('tool.pre', { name: 'run_command', args: { command: 'ls' } });
console.log(outcome.mayRun);
console.log(outcome.action);
console.log(outcome.reason);
console.log(outcome.payload);
`;

const scratch = mkdtempSync(join(tmpdir(), 'harness-types-'));
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly exports: Readonly<Record<string, { readonly types: string } | string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
};
const installed = join(scratch, 'node_modules/harness-hooks');
execFileSync(
  process.execPath,
  [TSC, '-p', 'tsconfig.build.json', '--emitDeclarationOnly', '--outDir', join(installed, 'dist')],
  { cwd: ROOT },
);
const entries = Object.values(manifest.exports).flatMap((target) =>
  typeof target === 'string' ? [] : [join(installed, target.types)],
);
slimDeclarations(join(installed, 'dist'), entries);
writeFileSync(join(installed, 'package.json'), JSON.stringify(manifest));
writeFileSync(join(scratch, 'package.json'), '{ "type": "module" }');
writeFileSync(join(scratch, 'program.ts'), PROGRAM);
writeFileSync(join(scratch, 'empty.ts'), 'export {};\n');
writeFileSync(
  join(scratch, 'all.ts'),
  ENTRY_POINTS.map(({ specifier }, i) => `export * as entry${i} from '${specifier}';\n`).join(''),
);

/** Types of Node as a program installs them, outside of this repository. */
const withNode = join(scratch, 'with-node');
mkdirSync(join(withNode, 'node_modules/@types'), { recursive: true });
for (const name of ['@types/node', 'undici-types', 'harness-hooks']) {
  const target = name === 'harness-hooks' ? installed : join(ROOT, 'node_modules', name);
  symlinkSync(target, join(withNode, 'node_modules', name));
}
for (const name of ['package.json', 'program.ts', 'empty.ts', 'all.ts'])
  writeFileSync(join(withNode, name), readFileSync(join(scratch, name)));

const STRICT = [
  '--strict',
  '--noEmit',
  '--module',
  'nodenext',
  '--target',
  'es2022',
  '--skipLibCheck',
  'false',
];
const WITH_NODE = [...STRICT, '--lib', 'es2023', '--types', 'node'];

function compile(cwd: string, file: string, options: readonly string[]): string {
  return spawnSync(process.execPath, [TSC, ...options, file], { cwd, encoding: 'utf8' }).stdout;
}

function typesOf(file: string): number {
  const output = compile(withNode, file, [...WITH_NODE, '--extendedDiagnostics']);
  return Number(/^Types:\s+(\d+)$/m.exec(output)?.[1]);
}

/** What an editor shows for the first of each text in the program. */
function shown(texts: readonly string[]): string[] {
  const config = join(withNode, 'tsconfig.editor.json');
  const compilerOptions = { strict: true, module: 'nodenext', target: 'es2022', types: ['node'] };
  writeFileSync(config, JSON.stringify({ compilerOptions, files: ['program.ts'] }));
  const api = new API({ cwd: withNode });
  try {
    const { checker } = api.updateSnapshot({ openProject: config }).getProject(config)!;
    return texts.map((text) => {
      const position = PROGRAM.indexOf(text) + text.lastIndexOf('.') + 1;
      const type = checker.getTypeAtPosition(join(withNode, 'program.ts'), position);
      return type === undefined ? 'nothing' : checker.typeToString(type);
    });
  } finally {
    api.close();
  }
}

afterAll(() => remove(scratch));

describe('the declarations of the package', () => {
  it(`cost a program of eight lines at most ${MOST_TYPES} types more than an empty one`, () => {
    const types = typesOf('program.ts') - typesOf('empty.ts');
    console.log(`a program that embeds Harness: ${types} types`);
    expect(types).toBeGreaterThan(0);
    expect(types).toBeLessThanOrEqual(MOST_TYPES);
  });

  it('show an outcome, its action and its payload by plain names', () => {
    const seen = shown(['outcome', 'outcome.action', 'outcome.payload', 'policy']);
    console.log(seen.join('\n'));
    expect(seen).toEqual([
      'Outcome<"tool.pre">',
      '"allow" | "ask" | "block" | "modify"',
      'ToolPrePayload',
      'Policy',
    ]);
  });

  it('describe every payload without the types that shapes are made of', () => {
    const payloads = readdirSync(join(installed, 'dist'), { recursive: true, encoding: 'utf8' }).find(
      (path) => /\bpayload-types\.d\.ts$/.test(path),
    );
    const text = readFileSync(join(installed, 'dist', payloads!), 'utf8');
    expect(text).toContain('export type ToolPrePayload = {');
    expect(text).not.toMatch(/ObjectOf|Field</);
  });

  it('of the main entry point need no package at all where the library has AbortSignal', () => {
    const program = PROGRAM.replaceAll('console.log', 'void ');
    writeFileSync(join(scratch, 'program.ts'), program);
    expect(compile(scratch, 'program.ts', [...STRICT, '--types', ''])).toBe('');
  });

  it('of every entry point need the types of Node and no other package', () => {
    expect(compile(withNode, 'all.ts', WITH_NODE)).toBe('');
    expect(Object.keys(manifest.peerDependencies)).toContain('@types/node');
  });
});
