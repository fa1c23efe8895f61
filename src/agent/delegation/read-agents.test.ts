import { describe, expect, it } from 'vitest';
import { tempProject } from '../../../test/support/temp-project.ts';
import { toolContext } from '../../../test/support/tool-context.ts';
import { FolderSnapshot } from '../../files/folder-snapshot.ts';
import { readAgents } from './read-agents.ts';

const agent = (frontmatter: string, body = 'You review code. Be kind.') =>
  tempProject({ '.harness/agents/reviewer.md': `---\n${frontmatter}\n---\n\n${body}\n` });

const read = (frontmatter: string, body?: string) =>
  readAgents(new FolderSnapshot(agent(frontmatter, body)), { domains: [] });

describe('an agent in .harness/agents', () => {
  it('[C077] has the name of its file, and its body as system prompt', async () => {
    const { agents, problems } = await read(
      'model: anthropic/small\ntools: [read_*]\nmax_verify_retries: 1\ntimeout_ms: 500',
    );
    expect(problems).toEqual([]);
    expect(agents).toMatchObject([
      {
        name: 'reviewer',
        description: 'You review code.',
        system: 'You review code. Be kind.',
        model: 'anthropic/small',
        tools: ['read_*'],
        maxVerifyRetries: 1,
        timeoutMs: 500,
        hooks: [],
        source: '.harness/agents/reviewer.md',
      },
    ]);
    expect((await read('description: Reviews.')).agents[0]).toMatchObject({ description: 'Reviews.' });
  });

  it('may bring hooks of its own', async () => {
    const { agents, problems } = await read(
      'hooks:\n  - handler: quiet\n    event: tool.pre\n    priority: 10\n    script: |\n      def handle(event, payload):\n          return block("quiet")',
    );
    expect(problems).toEqual([]);
    expect(agents[0]?.hooks).toMatchObject([{ name: 'quiet', event: 'tool.pre', priority: 10 }]);
  });

  it('[C078] may bring a verify script with run(result)', async () => {
    const { agents } = await read(
      'verify: |\n  def run(result):\n      return {"verified": result["attempt"] > 1, "reason": "again"}',
    );
    const { context } = toolContext('/tmp');
    expect(await agents[0]!.verify!({ result: 'x', attempt: 1 }, context)).toEqual({
      verified: false,
      reason: 'again',
    });
    expect(await agents[0]!.verify!({ result: 'x', attempt: 2 }, context)).toMatchObject({ verified: true });
  });

  it.each([
    ['verify: |\n  def check(result):\n      return True', undefined, 'SCRIPT_RUN', 'run(result)'],
    ['verify: |\n  def run(result):\n      return nope', undefined, 'SCRIPT_INVALID', 'undefined: nope'],
    ['tools: read_file', undefined, 'FIELD_TYPE', 'tools must be a list'],
    ['hooks:\n  - handler: h\n    event: tool.pr\n    priority: 1', undefined, 'EVENT_UNKNOWN', 'tool.pr'],
    ['hooks: nothing', undefined, 'FIELD_TYPE', 'hooks must be a list'],
    ['model: x', ' ', 'AGENT_PROMPT', 'no text below its frontmatter'],
  ])('is not there where it says %j', async (frontmatter, body, code, message) => {
    const { agents, problems } = await read(frontmatter, body);
    expect(agents).toEqual([]);
    const errors = problems.filter(({ severity }) => severity === 'error');
    expect(errors[0]).toMatchObject({ code, message: expect.stringContaining(message) });
  });

  it('needs a name that can be written in a call', async () => {
    const { problems } = await readAgents(
      new FolderSnapshot(tempProject({ '.harness/agents/Code Review.md': '---\n---\nYou review.\n' })),
      { domains: [] },
    );
    expect(problems).toMatchObject([{ code: 'AGENT_NAME', severity: 'error' }]);
  });

  it('does not keep the others from loading where it is broken', async () => {
    const { agents, problems } = await readAgents(
      new FolderSnapshot(
        tempProject({
          '.harness/agents/a.md': 'no frontmatter',
          '.harness/agents/b.md': '---\nmodle: x\n---\nYou are b.\n',
        }),
      ),
      { domains: [] },
    );
    expect(agents.map(({ name }) => name)).toEqual(['b']);
    expect(problems.map(({ code }) => code)).toEqual(['FRONTMATTER_MISSING', 'FIELD_UNKNOWN']);
    expect(problems[1]?.message).toContain('did you mean model?');
  });
});
