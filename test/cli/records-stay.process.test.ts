/**
 * A tool that takes the records of its own run away in the middle of it: the next call does not run, and the command says so.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { harness, hookFile, project } from './harness.ts';

const RUN = hookFile(
  'parameters:\n  command: {type: string, required: true}\nscript: |\n  def run(args):\n      return str(exec.run(["node", args["command"]]))',
  'Runs a program of the folder.\n',
);

const script = (what: string) =>
  `import { rmSync, readdirSync } from 'node:fs';
const here = new URL('.', import.meta.url);
for (const name of readdirSync(new URL('.harness/${what}/', here))) {
  if (name.endsWith('.jsonl')) rmSync(new URL('.harness/${what}/' + name, here));
}
`;

const story = [
  'completions:',
  '  - tool_calls: [{name: run_it, args: {command: take-away.mjs}}]',
  '  - tool_calls: [{name: run_it, args: {command: second.mjs}}]',
  '  - text: Done.',
  '',
].join('\n');

describe('records of a run', () => {
  it.each([
    ['the tape', 'runs'],
    ['the transcript', 'transcripts'],
  ])('%s taken away in mid-run: nothing more runs, exit code 1, and it is said', async (_what, folder) => {
    const dir = project({
      'story.yaml': story,
      '.harness/tools/run_it.md': RUN,
      '.harness/hooks/audit.md': hookFile(
        'event: tool.pre\npriority: 1\nscript: |\n  def handle(event, payload):\n      return allow()',
      ),
      'take-away.mjs': script(folder),
      'second.mjs':
        "import { writeFileSync } from 'node:fs';\nwriteFileSync(new URL('ran', import.meta.url), '');\n",
    });
    const args = ['run', dir, '--script', join(dir, 'story.yaml'), '--prompt', 'Go'];
    const { code, stdout, stderr } = await harness(args);
    expect(existsSync(join(dir, 'ran')), stdout + stderr).toBe(false);
    expect(code).toBe(1);
    expect(stdout + stderr).toContain('while it was being written');
  });
});
