/** `harness validate --target`: what becomes of each hook in an agent, before anything is installed there. */
import { describe, expect, it } from 'vitest';
import { harness, project } from './harness.ts';

const hook = (event: string, said: string) =>
  `---\nevent: ${event}\npriority: 1\nscript: |\n  def handle(event, payload):\n    return ${said}\n---\n`;

const policy = () =>
  project({
    '.harness/harness.md': '---\nstrict: true\n---\n',
    '.harness/hooks/asks.md': hook('tool.pre', 'ask("sure?")'),
    '.harness/hooks/redacts.md': hook('tool.post', 'modify({"content": "x"})'),
    '.harness/hooks/refuses.md': hook('tool.pre', 'block("no")'),
    '.harness/hooks/watches.md': hook('session.end', 'allow()'),
    '.harness/hooks/before_model.md': hook('completion.pre', 'block("no")'),
  });

describe('harness validate --target', () => {
  it('says per hook and agent what holds, what degrades and what is ignored', async () => {
    const { stdout, code } = await harness(['validate', policy(), '--target', 'gemini,codex,qwen-code']);
    const [gemini, codex, qwen] = stdout.split(/\n(?=\S+ {2}\S)/);
    expect(gemini).toMatch(/^gemini-cli {2}Gemini CLI, seen with 0\.61\.0$/m);
    expect(gemini).toMatch(/asks +tool\.pre +ask becomes a block$/m);
    expect(gemini).toMatch(/before_model +completion\.pre +holds$/m);
    expect(codex).toMatch(/refuses +tool\.pre +holds$/m);
    expect(codex).toMatch(/redacts +tool\.post +holds$/m);
    expect(codex).toMatch(/before_model +completion\.pre +completion\.pre does not fire here$/m);
    expect(qwen).toMatch(/redacts +tool\.post +PostToolUse: modify is ignored by the agent; /m);
    expect(qwen).toMatch(/asks +tool\.pre +holds$/m);
    expect(qwen).toMatch(/watches +session\.end +holds$/m);
    expect(code).toBe(0);
  });

  it('a hook that does not hold is a warning, and with --strict an error', async () => {
    const dir = policy();
    const plain = await harness(['validate', dir, '--target', 'codex', '--json']);
    expect(JSON.parse(plain.stdout)).toMatchObject({ ok: true, warnings: 1, targets: [{ lost: 1 }] });
    expect((await harness(['validate', dir, '--target', 'codex', '--strict'])).code).toBe(1);
    expect((await harness(['validate', dir, '--target', 'gemini-cli', '--strict'])).code).toBe(0);
  });

  it('an agent that nobody knows is wrong usage, with the nearest name', async () => {
    const { code, stderr } = await harness(['validate', policy(), '--target', 'codx']);
    expect(code).toBe(2);
    expect(stderr).toContain('codex');
  });
});
