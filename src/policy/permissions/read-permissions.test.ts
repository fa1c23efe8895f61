import { describe, expect, it } from 'vitest';
import { tempProject } from '../../../test/support/temp-project.ts';
import { loadAgentProject } from '../../agent/config/load-agent.ts';
import { CLOSED_TABLE } from './policy.ts';
import { readPermissions } from './read-permissions.ts';

/** Everything runs by itself. */
const OPEN_TABLE = { rules: [] };

async function load(frontmatter: string) {
  const agent = await loadAgentProject(tempProject({ 'harness.md': `---\n${frontmatter}\n---\n` }));
  const problems = agent.problems.filter(({ code }) => code !== 'PROJECT_EMPTY');
  const [written] = agent.policy.layers[0]!.project.settings.permissions;
  const table =
    written === undefined
      ? OPEN_TABLE
      : written.table === null
        ? CLOSED_TABLE
        : readPermissions(written.table).table;
  const call = { id: '1', name: 'anything', args: {} };
  const { action } = await agent.policy.decide('tool.pre', call);
  return { table, action, session: agent.config.session, problems };
}

describe('permissions in harness.md', () => {
  it('are a table of zones and guards', async () => {
    const { table, session, problems } = await load(
      [
        'permissions:',
        '  default: ask',
        '  rules:',
        '    - {tools: "read_*", zone: auto}',
        '    - {tools: [send], args: {to: [ada, bob]}, zone: never, reason: no mail}',
        '  policies:',
        '    - {kind: shell, tools: run, deny_patterns: [sudo]}',
        'limits: {approval_timeout_ms: 5000}',
      ].join('\n'),
    );
    expect(problems).toEqual([]);
    expect(session.limits).toMatchObject({ approvalMs: 5000 });
    expect(table).toEqual({
      otherwise: 'ask',
      rules: [
        { tools: ['read_*'], zone: 'auto' },
        { tools: ['send'], args: { to: ['ada', 'bob'] }, zone: 'never', reason: 'no mail' },
      ],
      guards: [{ tools: ['run'], denyPatterns: ['sudo'], allowPrefixes: [] }],
    });
  });

  it('that are not there let everything run', async () => {
    expect((await load('limits: {}')).table).toEqual(OPEN_TABLE);
    expect((await load('permissions:')).table).toEqual(OPEN_TABLE);
  });

  it.each([
    ['of the wrong type', 'permissions: everything'],
    ['with an unknown zone', 'permissions: {rules: [{tools: "*", zone: sometimes}]}'],
    ['with a default that is none', 'permissions: {default: yes please}'],
    ['with a rule without a zone', 'permissions: {rules: [{tools: "*"}]}'],
    ['with a rule without a tool', 'permissions: {rules: [{zone: auto}]}'],
    ['with a pattern that is none', 'permissions: {policies: [{tools: run, deny_patterns: ["("]}]}'],
    ['with a guard that guards nothing', 'permissions: {policies: [{tools: run}]}'],
  ])('that are written wrong (%s) are an error and let nothing run', async (_what, frontmatter) => {
    const { table, action, problems } = await load(frontmatter);
    expect(table).toEqual(CLOSED_TABLE);
    expect(action).toBe('block');
    expect(problems.filter(({ severity }) => severity === 'error')).not.toEqual([]);
  });
});
