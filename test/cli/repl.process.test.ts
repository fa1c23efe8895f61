/**
 * `harness starlark -i` and `-c`, as a pipe uses them: inputs over lines, the built-ins of a hook, payloads given and recorded.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { completeScript } from '../../src/lsp/complete.ts';
import { harness, project } from './harness.ts';

const PAYLOAD = '{"id": "1", "name": "say", "args": {"text": "HELLO"}}';

const type = (input: string, args: readonly string[] = [], cwd = project()) =>
  harness(['starlark', '-i', ...args], { cwd, input });

describe('harness starlark -i', () => {
  it('answers line by line, and shows what is not None', async () => {
    const { code, stdout, stderr } = await type('x = 2\nx + 1\nNone\nprint("a")\n[x,\n 3]\n');
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '3\na\n[2, 3]\n', stderr: '' });
  });

  it('takes a block until a line that is not part of it, and things made before may still change', async () => {
    const { stdout } = await type(
      'def f(x):\n    return x * 2\nf(4)\nseen = []\nfor i in range(2):\n    seen.append(i)\n\nseen\n',
    );
    expect(stdout).toBe('8\n[0, 1]\n');
  });

  it('has the built-ins of a hook, the event and the payload, and repeats no effect', async () => {
    const lines =
      'payload["args"]["text"]\nevent\nblock("no")\nstate.incr("n")\nstate.incr("n")\nshell.parse("rm -rf x").commands[0].deletes\n';
    const { code, stdout } = await type(lines, ['--payload', PAYLOAD]);
    expect(code).toBe(0);
    expect(stdout.split('\n').slice(0, 2)).toEqual(['"HELLO"', '"tool.pre"']);
    expect(stdout).toContain('\n1\n2\n["x"]\n');
  });

  it('says what is wrong, goes on, and exits 1 at the end', async () => {
    const { code, stdout, stderr } = await type('1 // 0\nnosuch\n:hlep\n1 + 1\n');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '2\n' });
    expect(stderr).toContain('division by zero');
    expect(stderr).toContain('undefined: nosuch');
    expect(stderr).toContain('did you mean :help');
  });

  it('explains built-ins, and shows the payload', async () => {
    const { stdout } = await type(':help re.search\n:event\n:payload\n:quit\nprint("never")\n', [
      '--event',
      'turn.start',
    ]);
    expect(stdout).toContain('The first match anywhere in the text, or None.');
    expect(stdout).toContain('turn.start\n');
    expect(stdout).not.toContain('never');
  });

  it('loads libraries of the policy, and takes a payload from a tape', async () => {
    const cwd = project({
      '.harness/lib/words.star': 'def loud(text):\n    return text == text.upper()\n',
      '.harness/hooks/a.md':
        '---\nevent: tool.pre\npriority: 1\nscript: |\n  def handle(event, payload):\n      return allow()\n---\n',
      '.harness/tools/say.md':
        '---\nscript: |\n  def run(args):\n      return args.get("text", "")\n---\nSays it.\n',
      'story.yaml': 'completions:\n  - tool_calls: [{name: say, args: {text: HELLO}}]\n  - text: done\n',
    });
    await harness(['run', '--script', 'story.yaml', '--prompt', 'go'], { cwd });
    const [tape] = readdirSync(join(cwd, '.harness/runs')).filter((name) => name.endsWith('.jsonl'));
    const entry = readFileSync(join(cwd, '.harness/runs', tape!), 'utf8')
      .split('\n')
      .find((line) => line.includes('"tool.pre"') && line.includes('HELLO'));
    const seq = String(JSON.parse(entry!).seq);
    const lines = 'load("//lib/words.star", "loud")\nloud(payload["args"]["text"])\n';
    const done = await type(lines, ['--tape', `.harness/runs/${tape}`, seq], cwd);
    expect(done).toMatchObject({ code: 0, stdout: 'True\n' });
    expect(await type('', ['--tape', `.harness/runs/${tape}`, '99999'], cwd)).toMatchObject({ code: 2 });
  });

  it('completes as an editor does', () => {
    expect(completeScript({ event: 'tool.pre', text: 'payload["' })).toContain('args');
    expect(completeScript({ event: 'tool.pre', text: 'x = 1\nre.' })).toContain('findall');
  });
});

describe('harness starlark -c', () => {
  it('runs what is given', async () => {
    expect(await harness(['starlark', '-c', 'print(1 + 1)'])).toMatchObject({ code: 0, stdout: '2\n' });
    expect(await harness(['starlark'])).toMatchObject({ code: 2 });
  });
});
