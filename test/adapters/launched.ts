/** A project with a policy, and the launcher as Claude Code calls it, each call a process of its own. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { HOOK_FILE } from '../../scripts/build-cli.mjs';
import type { Answer } from '../../src/agents/adapter.ts';
import type { Json, JsonObject } from '../../src/base/json.ts';
import { remove } from '../support/remove.ts';

export const SAMPLES = JSON.parse(
  readFileSync(new URL('payloads/claude-code.json', import.meta.url), 'utf8'),
) as Record<string, JsonObject>;

export interface Launched {
  readonly dir: string;
  write(path: string, text: string): void;
  remove(path: string): void;
  /** Fires one event; `more` is laid over the sample payload. */
  fire(event: string, more?: JsonObject, options?: readonly string[]): Promise<Answer>;
  /** Records of the tape of a session, in order. */
  tape(session?: string): readonly JsonObject[];
}

export function hook(event: string, ...script: readonly string[]): string {
  const lines = ['def handle(event, payload):', ...script.map((line) => `  ${line}`)];
  const body = lines.map((line) => `  ${line}`).join('\n');
  return `---\nevent: ${event}\npriority: 1\nscript: |\n${body}\n---\n`;
}

export function project(files: Readonly<Record<string, string>>): Launched {
  const folder = mkdtempSync(join(tmpdir(), 'harness-launched-'));
  onTestFinished(() => remove(folder));
  const dir = join(folder, 'project');
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  return {
    dir,
    write,
    remove: (path) => rmSync(join(dir, path), { recursive: true }),
    fire: (event, more = {}, options = ['--dir', dir]) =>
      launch(
        ['claude-code', event, ...options],
        JSON.stringify({ ...SAMPLES[event], cwd: dir, ...more }),
        folder,
      ),
    tape: (session = 'session') =>
      readFileSync(join(dir, `.harness/runs/${session}.jsonl`), 'utf8')
        .trimEnd()
        .split('\n')
        .slice(1)
        .map((line) => (JSON.parse(line) as { record: JsonObject }).record),
  };
}

export function launch(
  args: readonly string[],
  input: string,
  home: string,
  entry = HOOK_FILE,
  around: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<Answer> {
  return new Promise((resolve) => {
    const env = { PATH: process.env.PATH ?? '', HOME: home, HARNESS_DAEMON: 'off', ...around.env };
    const child = spawn(process.execPath, [entry, ...args], { ...around, env });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk) => {
      stdout += String(chunk);
    });
    child.stderr.on('data', (chunk) => {
      stderr += String(chunk);
    });
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    child.on('close', (code) => resolve({ stdout, stderr, exitCode: code ?? -1 }));
  });
}

/** What Claude Code is told about a call: `deny`, `ask`, or null for silence. */
export function decisionIn({ stdout }: Answer): Json {
  if (stdout === '') return null;
  const { hookSpecificOutput: said } = JSON.parse(stdout) as { hookSpecificOutput?: JsonObject };
  return said?.permissionDecision ?? null;
}

export function command(text: string, id: string): JsonObject {
  return { tool_name: 'Bash', tool_input: { command: text }, tool_use_id: id };
}
