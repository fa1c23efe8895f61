import { describe, expect, it, vi } from 'vitest';
import { ALL_CAPABILITIES, type Repository, repository } from '../../test/hostile/repository.ts';
import type { Output } from './output.ts';
import { openTrusted } from './trusting.ts';

function open(repo: Repository, answers: readonly (string | null)[], session = true) {
  vi.stubEnv('HARNESS_TRUST', '');
  vi.stubEnv('XDG_CONFIG_HOME', repo.home);
  const said: string[] = [];
  const questions: string[] = [];
  const output = {
    line: (text = '') => void said.push(text),
    note: (text: string) => void said.push(text),
    paint: (_style: string, text: string) => text,
    paintNote: (_style: string, text: string) => text,
  } as unknown as Output;
  const confirm = async (question: string) => {
    questions.push(question);
    const word = /Type ([a-z]{6}) to /.exec(question)![1]!;
    return answers[questions.length - 1]?.replace('WORD', word) ?? null;
  };
  return openTrusted(repo.dir, { confirm, session }, output).then((policy) => ({ policy, said, questions }));
}

describe('the first command that needs a capability', () => {
  it('shows the list and asks once for a random word; it holds from then on', async () => {
    const repo = repository(ALL_CAPABILITIES);
    const first = await open(repo, ['WORD']);
    expect(first.questions).toHaveLength(1);
    expect(first.said.join('\n')).toContain('3 programs that hooks run');
    expect(first.said.join('\n')).toContain('guard.sh  (.harness/settings.json:1)');
    expect(first.policy.trust).toMatchObject([{ by: 'record' }]);
    const second = await open(repo, []);
    expect(second.questions).toEqual([]);
    expect(second.policy.trust).toMatchObject([{ by: 'record' }]);
  });

  it('takes a no for an answer, and does not ask about the same list again', async () => {
    const repo = repository(ALL_CAPABILITIES);
    expect((await open(repo, ['n'])).policy.trust).toMatchObject([{ by: null }]);
    const again = await open(repo, ['WORD']);
    expect(again.questions).toEqual([]);
    expect(again.said.join('\n')).toContain('was declined');
    repo.write('guard.sh', '#!/bin/sh\n', 0o755);
    expect((await open(repo, ['WORD'])).policy.trust).toMatchObject([{ by: 'record' }]);
  });

  it('asks again about a word that is no answer, and nothing is kept without one', async () => {
    const repo = repository(ALL_CAPABILITIES);
    const { questions, policy } = await open(repo, ['maybe', 'yes', null]);
    expect(questions).toHaveLength(3);
    expect(policy.trust).toMatchObject([{ by: null, declined: false }]);
    expect((await open(repo, ['WORD'])).policy.trust).toMatchObject([{ by: 'record' }]);
  });

  it('does not ask about tools if only hooks are needed', async () => {
    const repo = repository({ '.harness/tools/shell.md': ALL_CAPABILITIES['.harness/tools/shell.md']! });
    expect((await open(repo, ['WORD'], false)).questions).toEqual([]);
    expect((await open(repo, ['WORD'], true)).questions).toHaveLength(1);
  });

  it('a name cannot add a line to the list', async () => {
    const line = `true\n  nothing else\u202e`;
    const repo = repository({
      '.harness/settings.json': JSON.stringify({
        hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: line }] }] },
      }),
    });
    const { said } = await open(repo, ['n']);
    expect(said.join('\n')).toContain('true\\n  nothing else');
  });
});
