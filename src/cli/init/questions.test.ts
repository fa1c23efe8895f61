import { describe, expect, it } from 'vitest';
import { askAnswers } from './questions.ts';

/** Answers in their order; null is Ctrl-D. */
function person(...lines: readonly (string | null)[]) {
  const left = [...lines];
  const questions: string[] = [];
  const confirm = async (question: string) => {
    questions.push(question);
    return left.shift() ?? null;
  };
  return { confirm, questions };
}

describe('the questions of harness init', () => {
  it('take the agents that are installed, strict and team if all are answered with Enter', async () => {
    const { confirm, questions } = person('', '', '');
    expect(await askAnswers(['claude-code', 'codex'], confirm)).toEqual({
      agents: ['claude-code', 'codex'],
      observe: false,
      user: false,
    });
    expect(questions).toHaveLength(3);
    expect(questions[0]).toContain('[claude-code, codex]');
  });

  it('take other spellings of an agent, and the first letters of a word', async () => {
    expect(await askAnswers([], person('claude, gemini', 'o', 'me').confirm)).toEqual({
      agents: ['claude-code', 'gemini-cli'],
      observe: true,
      user: true,
    });
  });

  it('are asked again where the answer cannot be read, with the reason', async () => {
    const { confirm, questions } = person('clod', 'none', 'loose', 'strict', '');
    expect(await askAnswers([], confirm)).toEqual({ agents: [], observe: false, user: false });
    expect(questions[1]).toMatch(/^unknown agent "clod"/);
    expect(questions[3]).toMatch(/^Want strict or observe\.\n/);
  });

  it('give nothing if the person leaves before the last', async () => {
    expect(await askAnswers([], person('none', null).confirm)).toBeNull();
  });
});
