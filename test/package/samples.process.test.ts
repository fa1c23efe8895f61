/**
 * Every TypeScript sample of README.md and docs/ compiles under strict TypeScript against the entry points of the package,
 * runs to its end, and prints what stands below it. A sample that decides acts only where the policy lets it.
 */
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { remove } from '../support/remove.ts';
import { ENTRY_POINTS, ROOT } from './entry-points.ts';
import { DECIDING_EXAMPLES, GIVEN, SAMPLES } from './samples.ts';

/** Inside the repository, so that packages are found; a folder a sample, with the projects the documents speak of. */
const scratch = mkdtempSync(join(ROOT, 'node_modules/.harness-samples-'));
const fileOf = (index: number) => join(scratch, `sample-${index}.ts`);

interface Guard {
  readonly answers: string;
  /** Whether the operation of a sample runs under it. */
  readonly runs: (code: string) => boolean;
  readonly personSays: 'yes' | 'no';
}

/** A hook of a folder above the sample's own, so that it judges every call of the sample. */
const GUARDS: Readonly<Record<string, Guard>> = {
  allows: { answers: 'return allow()', runs: () => true, personSays: 'yes' },
  blocks: { answers: 'return block("no")', runs: () => false, personSays: 'no' },
  asks: { answers: 'return ask("sure?")', runs: () => false, personSays: 'no' },
  'asks-and-gets-a-yes': {
    answers: 'return ask("sure?")',
    runs: (code) => code.includes('{ approvals })'),
    personSays: 'yes',
  },
  fails: { answers: 'fail("broken")', runs: () => false, personSays: 'no' },
};

const guardFile = (answers: string) =>
  `---\nevent: tool.pre\npriority: 1\nscript: |\n  def handle(event, payload):\n      ${answers}\n---\n`;

/** What the operation of each sample prints. */
const RAN = /\b(runs|refunded)\b/;

const DECIDING = [
  ...SAMPLES.map(({ id, code }, index) => ({
    id,
    code: `${GIVEN[id] ?? ''}\n${code}`,
    file: `sample-${index}`,
  })),
  ...DECIDING_EXAMPLES,
].filter(({ code }) => /\.decide\(\s*'tool\.pre'/.test(code));

function writeProjects(folder: string): void {
  cpSync(join(ROOT, 'examples'), join(folder, 'examples'), { recursive: true });
  cpSync(join(ROOT, 'examples/01-governed-agent'), join(folder, 'my-agent'), { recursive: true });
}

/** The deciding samples in a folder under that guard. A sample with a hook of its own gets the guard's answer in it. */
function writeGuarded(name: string, { answers }: Guard): string[] {
  const folder = join(scratch, name);
  writeProjects(folder);
  mkdirSync(join(folder, '.harness/hooks'), { recursive: true });
  writeFileSync(join(folder, '.harness/hooks/guard.md'), guardFile(answers));
  return DECIDING.map(({ code, file }) => {
    const path = join(folder, `${file}.ts`);
    writeFileSync(path, code.replace(/return block\(".*"\)/, answers));
    return path;
  });
}

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function run(args: readonly string[], cwd: string, personSays = 'yes'): Promise<Ran> {
  const child = spawn(process.execPath, args, {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 120_000,
    // Clients of models are made, not used.
    env: { ...process.env, OPENAI_API_KEY: 'none', ANTHROPIC_API_KEY: 'none', PERSON_SAYS: personSays },
  });
  const out: Record<'stdout' | 'stderr', string> = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].on('data', (chunk: Buffer) => {
      out[stream] += chunk.toString();
    });
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, ...out })));
}

beforeAll(async () => {
  writeProjects(scratch);
  const guarded = Object.entries(GUARDS).flatMap(([name, guard]) => writeGuarded(name, guard));
  for (const [index, { id, code }] of SAMPLES.entries())
    writeFileSync(fileOf(index), `${GIVEN[id] ?? ''}\n${code}\nexport {};\n`);
  await build({
    entryPoints: [...SAMPLES.map((_, index) => fileOf(index)), ...guarded],
    outdir: scratch,
    outbase: scratch,
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

describe('a sample that decides', () => {
  it('is in README.md, the guide and the examples', () => {
    const ids = DECIDING.map(({ id }) => id);
    expect(ids).toEqual(
      expect.arrayContaining([
        'README.md 1',
        'docs/guide/embed.md 1',
        'examples/02-embed-the-runtime/decide.mjs',
      ]),
    );
    expect(ids.length).toBeGreaterThan(9);
  });

  const cases = Object.entries(GUARDS).flatMap(([name, guard]) =>
    DECIDING.map(({ id, code, file }) => ({ id, name, guard, file, runs: guard.runs(code) })),
  );
  it.concurrent.each(cases)(
    'runs its operation only where the policy lets it: $id, where a guard $name',
    async ({ name, guard, file, runs }) => {
      const folder = join(scratch, name);
      const { code, stdout } = await run([join(folder, `${file}.mjs`)], folder, guard.personSays);
      expect({ code, ran: RAN.test(stdout) }).toEqual({ code: 0, ran: runs });
    },
  );
});
