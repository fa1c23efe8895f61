/** Scripts in TypeScript, run by the Node that runs the tests with the files the build made. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildTypeScriptRunner } from '../../../scripts/build-typescript-runner.mjs';
import { machineHost } from '../host.ts';

const dir = mkdtempSync(join(tmpdir(), 'harness-types-'));
beforeAll(() => buildTypeScriptRunner());
afterAll(() => rmSync(dir, { recursive: true, force: true }));

function write(files: Readonly<Record<string, string>>, executable = false): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text);
    if (executable) chmodSync(join(dir, name), 0o755);
  }
}

const ran = (script: string, input = '{}') =>
  machineHost.run({ program: { script }, cwd: dir, env: {}, stdin: input, timeoutMs: 20_000 }, null);

const TYPED = `import { readFileSync } from "fs";
import type { Payload } from "./types";
import { shout, Level } from "./lib/text";
interface Answer { readonly decision: string; message?: string }
enum Kind { Block = "block" }
class Reason { constructor(private readonly text: string) {} say(): string { return this.text; } }
const payload = JSON.parse(readFileSync("/dev/stdin", "utf-8")) as Payload;
const answer: Answer = { decision: Kind.Block, message: new Reason(shout(payload.tool_name!)).say() + Level.High } satisfies Answer;
console.log(JSON.stringify(answer));
process.exit(2);
`;
const LIBRARY = {
  'hooks/types.ts': 'export interface Payload { tool_name?: string }\n',
  'hooks/lib/text/index.ts':
    'export { Level } from "./level.js";\nexport const shout = (text: string): string => text.toUpperCase();\n',
  'hooks/lib/text/level.ts': 'export enum Level { High = 3 }\n',
};

describe('a TypeScript hook', () => {
  it.each([
    ['#!/usr/bin/env bun', true],
    ['#!/usr/bin/env bun', false],
    ['#!/usr/bin/env node', true],
    ['#!/usr/bin/env node', false],
    ['', true],
    ['', false],
  ])(
    'with the first line %j, executable: %s, runs with its types and extensionless imports',
    async (line, executable) => {
      write(LIBRARY);
      write({ 'hooks/guard.ts': line === '' ? TYPED : `${line}\n${TYPED}` }, executable);
      const { exitCode, stdout, stderr } = await ran('hooks/guard.ts', '{"tool_name":"bash"}');
      expect([exitCode, stdout.trim(), stderr]).toEqual([2, '{"decision":"block","message":"BASH3"}', '']);
    },
  );

  it.each([
    ['require', 'const fs = require("fs"); console.log(typeof fs.readFileSync as string);', 'function'],
    [
      'the folder of the script',
      'console.log(__dirname.length > 1, import.meta.dir === __dirname);',
      'true true',
    ],
    ['whether it is the program', 'if (import.meta.main) console.log("main");', 'main'],
    ['data', 'import data from "./data.json"; console.log(data.a as number);', '1'],
    ['top-level await', 'const x: number = await Promise.resolve(4); console.log(x);', '4'],
    [
      'its own require',
      'import { createRequire } from "module"; const require = createRequire(import.meta.url); console.log(typeof require("path"));',
      'object',
    ],
  ])('has %s', async (_name, text, said) => {
    write({ 'one.ts': text, 'data.json': '{"a":1}' });
    const { exitCode, stdout, stderr } = await ran('one.ts');
    expect([exitCode, stdout.trim(), stderr]).toEqual([0, said, '']);
  });

  it('that is no TypeScript fails with the place of the mistake', async () => {
    write({ 'bad.ts': 'const a = 1;\nconst = ;\n' });
    const { exitCode, stderr } = await ran('bad.ts');
    expect(exitCode).toBe(1);
    expect(stderr).toContain('bad.ts: Unexpected token (2:7)');
  });

  it('an error names the line of the script', async () => {
    write({
      'throws.ts':
        'interface A {\n  a: string;\n}\nfunction f(x: A): void {\n  throw new Error(x.a);\n}\nf({ a: "here" });\n',
    });
    expect((await ran('throws.ts')).stderr).toMatch(/throws\.ts:5/);
  });
});
