/** Hidden text in results, under policies that have no hook for it: what each layer may say of it, and what becomes of it. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempProject } from '../../test/support/temp-project.ts';
import type { JsonObject } from '../base/index.ts';
import { openPolicy } from './open-policy.ts';
import { looseningIn } from './tightening.ts';

const settings = (mode: string | null) =>
  mode === null ? '---\nstrict: true\n---\n' : `---\nhidden_text: ${mode}\n---\n`;

async function policyOf({
  user = null,
  project = null,
}: {
  user?: string | null;
  project?: string | null;
} = {}) {
  const dir = tempProject({
    'work/.harness/harness.md': settings(project),
    ...(user !== null && { 'user/harness.md': settings(user) }),
  });
  return openPolicy(join(dir, 'work'), { places: { managed: null, user: join(dir, 'user') } });
}

const TAGGED = 'A page.\u{e0069}\u{e0067}\u{e006e}';
const result = (content: string, parsed?: JsonObject) => ({
  call_id: '1',
  name: 'read_file',
  content,
  ...(parsed !== undefined && { result: parsed }),
});

describe('[S35] hidden text in a result', () => {
  it('is named under every policy, also one without a hook', async () => {
    const policy = await policyOf();
    const outcome = await policy.decide('tool.post', result(TAGGED));
    expect(outcome).toMatchObject({
      action: 'modify',
      hook: 'hidden_text',
      payload: { content: 'A page.[hidden: U+E0069 U+E0067 U+E006E]' },
    });
    expect(outcome.effects).toContainEqual(
      expect.objectContaining({
        kind: 'log',
        message: expect.stringContaining('in 1 place that a model reads'),
      }),
    );
  });

  it('is named in every part and key of a result with several', async () => {
    const policy = await policyOf();
    const parts = { content: [{ type: 'text', text: 'a\u202eb' }], 'k\u200b\u200b': 1 };
    const { payload } = await policy.decide('tool.post', result(JSON.stringify(parts), parts));
    expect(payload).toMatchObject({
      result: { content: [{ type: 'text', text: 'a[hidden: U+202E]b' }], 'k[hidden: U+200B U+200B]': 1 },
    });
    expect(JSON.stringify(payload)).not.toMatch(/\u202e|\u200b/);
  });

  it('is named though a hook of the policy wrote it', async () => {
    const writes = 'def handle(event, payload):\n    return modify({"content": "x" + chr(0x202e) + "y"})';
    const dir = tempProject({
      '.harness/hooks/a.md': `---\nevent: tool.post\npriority: 1\nscript: |\n  ${writes.replace('chr(0x202e)', '"\\u202e"').replace('\n', '\n  ')}\n---\n`,
    });
    const policy = await openPolicy(dir, { places: { managed: null, user: null } });
    const { payload } = await policy.decide('tool.post', result('plain'));
    expect(payload).toMatchObject({ content: 'x[hidden: U+202E]y' });
  });

  it.each([
    'plain text, \u001b[31mred\u001b[0m\r\n',
    '👩‍💻 ❤️‍🔥 🏴󠁧󠁢󠁥󠁮󠁧󠁿 1️⃣',
    'می‌خواهم שלום (1)\u200f, क्‍ष নির্‌দেশ',
    '\ufeff{"a": 1}',
  ])('leaves what ordinary writing needs: %s', async (text) => {
    const policy = await policyOf();
    expect(await policy.decide('tool.post', result(text, { text }))).toMatchObject({
      action: 'allow',
      effects: [],
    });
  });

  it('makes no result grow without end', async () => {
    const policy = await policyOf();
    const { payload } = await policy.decide('tool.post', result('o\u200b'.repeat(200_000)));
    const { content } = payload as { content: string };
    expect(content).toMatch(/\[hidden: \d+ more places\]$/);
    expect(content.length).toBeLessThan(300_000);
  });

  it.each([
    { user: null, project: 'pass', action: 'modify' },
    { user: null, project: 'block', action: 'block' },
    { user: 'pass', project: null, action: 'allow' },
    { user: 'pass', project: 'reveal', action: 'modify' },
    { user: 'block', project: 'pass', action: 'block' },
    { user: null, project: 'revael', action: 'block' },
  ])('with $user of the user and $project of the project: $action', async ({ action, ...written }) => {
    const policy = await policyOf(written);
    expect(await policy.decide('tool.post', result(TAGGED))).toMatchObject({ action });
    const idle = policy.problems.filter(({ message }) => message.includes('hidden_text: pass has no effect'));
    expect(idle).toHaveLength(written.project === 'pass' ? 1 : 0);
  });

  it('passes in no running session for which it did not pass before', async () => {
    const [reveals, passes] = [await policyOf({ user: 'reveal' }), await policyOf({ user: 'pass' })];
    expect(looseningIn(reveals, passes)).not.toBeNull();
  });
});
