/** The settings of `harness.md` as AI Harness publishes them, read as they stand. */
import { describe, expect, it } from 'vitest';
import { tempProject } from '../../../test/support/temp-project.ts';
import { openPolicy } from '../../policy/open-policy.ts';
import { readConfig } from './read-config.ts';

async function load(frontMatter: string, body = '') {
  const dir = tempProject({
    'harness.md': `---\n${frontMatter}\n---\n\n${body}`,
    'notes.txt': 'The notes.',
    '.harness/hooks/a.md':
      '---\nevent: tool.pre\npriority: 1\nscript: |\n  def handle(event, payload):\n      return allow()\n---\n',
  });
  const policy = await openPolicy(dir);
  // As it is read; whether a key or an address may be used is a matter of trust.
  const read = await readConfig(dir, policy.layers.at(-1)?.project.harness ?? []);
  const { config } = read;
  const problems = [...policy.problems, ...read.problems];
  return {
    config,
    errors: problems.filter(({ severity }) => severity === 'error').map(({ message }) => message),
    problems,
  };
}

describe('harness.md of an AI Harness project', () => {
  it('a model map with provider, retry and limits', async () => {
    const { config, errors } = await load(`model:
  provider: copilot
  name: gpt-4o
  max_tokens: 4096
  temperature: 0.3
  retry: { max_retries: 3, initial_backoff_ms: 250, max_backoff_ms: 8000, multiplier: 2.0 }`);
    expect(errors).toEqual([]);
    expect(config.model).toEqual({
      model: 'openai/gpt-4o',
      baseUrl: 'https://api.githubcopilot.com',
      apiKeyEnv: 'GITHUB_TOKEN',
      maxTokens: 4096,
    });
    expect(config.session).toMatchObject({ retry: { maxAttempts: 4, baseMs: 250, maxWaitMs: 8000 } });
  });

  it.each([
    ['{name: gpt-4o}', 'openai/gpt-4o'],
    ['{provider: openai, name: gpt-4o}', 'openai/gpt-4o'],
    ['{provider: anthropic, name: claude-x}', 'anthropic/claude-x'],
    ['{provider: openai, name: openai/gpt-4o}', 'openai/gpt-4o'],
  ])('model: %s is %s', async (written, model) => {
    const { config, errors } = await load(`model: ${written}`);
    expect([errors, config.model?.model]).toEqual([[], model]);
  });

  it('a provider that is none is an error when it is read', async () => {
    const { errors } = await load('model: {provider: azure, name: gpt-4o}');
    expect(errors).toHaveLength(1);
    expect(errors[0]).toContain('openai');
  });

  it('a list of models: each by its name, the first one is the model', async () => {
    const { config, errors } = await load(
      'models:\n  - {name: gpt-4o, provider: copilot}\n  - {name: gpt-4o-mini, provider: openai, api_key_env: KEY}',
    );
    expect(errors).toEqual([]);
    expect(config.model?.model).toBe('openai/gpt-4o');
    expect(config.models['gpt-4o-mini']).toEqual({ model: 'openai/gpt-4o-mini', apiKeyEnv: 'KEY' });
  });

  it('a context map: what is kept of the conversation, and what the model is told', async () => {
    const { config, errors } = await load(
      'context:\n  max_history: 50\n  max_tokens: 64000\n  system_prompt: Be careful.\n  sources:\n    - {name: notes, type: file, path: notes.txt}',
    );
    expect(errors).toEqual([]);
    expect(config.session.compaction).toEqual({ maxTokens: 64000 });
    expect(config.session.system).toBe('Be careful.\n\nContent of notes.txt:\n\nThe notes.');
    const withBody = await load('context: {system_prompt: Be careful.}', 'You are careful.');
    expect(withBody.config.session.system).toBe('You are careful.');
  });

  it('a context source that is no file is an error when it is read', async () => {
    const { errors } = await load('context:\n  sources:\n    - {name: x, type: script, path: a.star}');
    expect(errors).toHaveLength(1);
  });

  it('limits of delegation: turns of each depth, the agent first, and how many at once', async () => {
    const { config, errors } = await load(
      'delegation: {max_depth: 2, max_concurrent: 4, iterations_per_depth: [12, 6]}',
    );
    expect(errors).toEqual([]);
    expect(config.session.limits).toMatchObject({ maxTurns: 12 });
    expect(config.delegation).toMatchObject({ max_depth: 2, max_concurrent: 4 });
  });

  it('what has no use here is said, and nothing else', async () => {
    const { problems } = await load(
      'model: {name: gpt-4o, temperature: 0.3}\ncontext: {max_history: 9}\nmeta: {max_call_depth: 2}',
    );
    expect(problems.map(({ severity, message }) => [severity, message.split(' ')[0]])).toEqual([
      ['warning', expect.stringContaining('temperature')],
      ['warning', expect.stringContaining('max_history')],
      ['warning', expect.stringContaining('max_call_depth')],
    ]);
  });
});
