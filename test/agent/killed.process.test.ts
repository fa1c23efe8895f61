/**
 * A process that is killed in the middle of a turn: what was on record up to then can be read.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { parseTranscript } from '../../src/exports/agent.ts';
import { tempProject } from '../support/temp-project.ts';

const AGENT = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'src', 'agent');

/** Says `ready` while its tool hangs, and would wait for ever. */
const PROGRAM = `
import { Session } from './session.ts';
import { scriptedProvider } from './providers/scripted.ts';
import { openTranscript } from './record/transcript-file.ts';
const file = openTranscript(process.argv[2], { sessionId: 's1', startedAt: 0 });
const provider = scriptedProvider({ completions: [{ text: 'Wait.', tool_calls: [{ name: 'hang' }] }] });
const hang = { name: 'hang', description: '', parameters: { type: 'object' }, source: '<test>',
  run: () => new Promise(() => { setTimeout(() => process.stdout.write('ready'), 10); setInterval(() => {}, 1000); }) };
new Session({ provider, tools: [hang], onEvent: file.onEvent }).run('go');
`;

it('leaves a transcript that is whole up to the kill', async () => {
  const dir = tempProject();
  const program = join(dir, 'program.cjs');
  const transcript = join(dir, 'run.jsonl');
  await build({
    stdin: { contents: PROGRAM, resolveDir: AGENT, loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    outfile: program,
    logLevel: 'error',
  });
  const child = spawn(process.execPath, [program, transcript], { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  child.kill('SIGKILL');
  await new Promise((resolve) => child.once('exit', resolve));
  const entries = parseTranscript(readFileSync(transcript, 'utf8'));
  expect(entries[0]).toMatchObject({ type: 'session', id: 's1' });
  expect(entries.at(-1)).toMatchObject({ type: 'tool.start', name: 'hang' });
  expect(entries.map(({ event }) => event)).toContain('tool.pre');
});
