// Where every page stands: sections in the order in which a newcomer needs them. A page that is in none of them fails the build.

/** A name is a page; one that ends in a slash, all pages of that folder that are named nowhere else. */
export const SECTIONS = [
  [
    'Start',
    [
      'README.md',
      'docs/pages.md',
      'docs/concepts.md',
      'docs/guide/first-hook.md',
      'docs/agents-install.md',
      'docs/packs.md',
      'docs/ui.md',
      'docs/troubleshooting.md',
      'docs/glossary.md',
    ],
  ],
  [
    'Write hooks',
    [
      'docs/reference/hook-artifact.md',
      'docs/guide/authoring.md',
      'docs/starlark.md',
      'docs/guide/shared-code.md',
      'docs/reminders.md',
      'docs/editors.md',
      'docs/frontends/',
    ],
  ],
  [
    'Change a policy',
    [
      'docs/guide/policy.md',
      'docs/guide/testing.md',
      'docs/guide/backtest.md',
      'docs/guide/policy-change.md',
      'docs/guide/permissions.md',
      'docs/approvals.md',
      'docs/guide/trust.md',
      'docs/guide/who.md',
      'docs/guide/flow.md',
    ],
  ],
  [
    'In agents',
    [
      'docs/agents.md',
      'docs/agents-launcher.md',
      'docs/reference/agents.md',
      'docs/guide/daemon.md',
      'docs/mcp.md',
      'docs/frameworks.md',
      'docs/guide/other-languages.md',
      'docs/guide/embed.md',
      'docs/from/',
    ],
  ],
  [
    'Built-in agent',
    [
      'docs/guide/the-loop.md',
      'docs/guide/providers.md',
      'docs/guide/scripted-model.md',
      'docs/guide/delegation.md',
      'docs/guide/',
      'docs/reference/tool-artifact.md',
    ],
  ],
  [
    'On the record',
    [
      'docs/replay.md',
      'docs/guide/evidence.md',
      'docs/guide/receipts.md',
      'docs/guide/tracing.md',
      'docs/tape-format.md',
    ],
  ],
  ['Fleet', ['docs/fleet/README.md', 'docs/fleet/']],
  [
    'Safety',
    ['docs/security.md', 'docs/secrets.md', 'docs/guide/containment.md', 'docs/reference/fault-matrix.md'],
  ],
  [
    'Reference',
    [
      'docs/cli.md',
      'docs/reference/events/README.md',
      'docs/reference/fields.md',
      'docs/reference/builtins.md',
      'docs/reference/errors.md',
      'docs/reference/packs.md',
      'docs/reference/programs.md',
      'docs/reference/mcp.md',
      'docs/reference/frameworks.md',
      'docs/reference/harness-md.md',
    ],
  ],
  ['Events', ['docs/reference/events/']],
  ['Examples', ['examples/']],
  [
    'Inside',
    ['docs/architecture.md', 'docs/performance.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'docs/checklist.md'],
  ],
  ['Decisions', ['docs/decisions/']],
];

/** Sections with the pages they have; throws if a page has no place, or a place no page. */
export function placed(pages) {
  const named = new Set(SECTIONS.flatMap(([, names]) => names.filter((name) => !name.endsWith('/'))));
  const missing = [...named].filter((name) => !pages.includes(name));
  const sections = SECTIONS.map(([title, names]) => [
    title,
    names.flatMap((name) =>
      name.endsWith('/') ? pages.filter((page) => page.startsWith(name) && !named.has(page)) : [name],
    ),
  ]);
  const shown = new Set(sections.flatMap(([, list]) => list));
  const lost = pages.filter((page) => !shown.has(page));
  if (missing.length > 0 || lost.length > 0)
    throw new Error(`site/navigation.mjs: no page ${missing.join(', ')}; no place for ${lost.join(', ')}`);
  return sections;
}
