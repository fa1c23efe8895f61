// Where every page stands: sections in the order in which a newcomer needs them. A page that is in none of them fails the build.

/** A name is a page; one that ends in a slash, all pages of that folder that are named nowhere else. */
export const SECTIONS = [
  [
    'Start',
    ['README.md', 'docs/pages.md', 'docs/agents-install.md', 'docs/guide/first-hook.md', 'docs/ui.md'],
  ],
  ['Concepts', ['docs/concepts.md', 'docs/glossary.md']],
  [
    'Guides: rules',
    [
      'docs/guide/authoring.md',
      'docs/guide/testing.md',
      'docs/packs.md',
      'docs/guide/backtest.md',
      'docs/guide/policy.md',
      'docs/guide/permissions.md',
      'docs/guide/who.md',
      'docs/guide/flow.md',
      'docs/reminders.md',
      'docs/editors.md',
    ],
  ],
  [
    'Guides: agents and programs',
    [
      'docs/agents.md',
      'docs/mcp.md',
      'docs/frameworks.md',
      'docs/guide/embed.md',
      'docs/guide/other-languages.md',
      'docs/guide/run.md',
      'docs/guide/the-loop.md',
      'docs/guide/providers.md',
      'docs/guide/',
    ],
  ],
  [
    'Operate',
    [
      'docs/guide/daemon.md',
      'docs/agents-launcher.md',
      'docs/fleet/README.md',
      'docs/fleet/',
      'docs/guide/evidence.md',
      'docs/replay.md',
      'docs/guide/tracing.md',
      'docs/performance.md',
    ],
  ],
  ['Troubleshooting', ['docs/troubleshooting.md']],
  [
    'Security',
    ['docs/security.md', 'docs/secrets.md', 'docs/guide/containment.md', 'docs/reference/fault-matrix.md'],
  ],
  [
    'Reference',
    [
      'docs/cli.md',
      'docs/reference/events/README.md',
      'docs/reference/fields.md',
      'docs/reference/hook-artifact.md',
      'docs/reference/tool-artifact.md',
      'docs/reference/harness-md.md',
      'docs/reference/builtins.md',
      'docs/reference/errors.md',
      'docs/reference/packs.md',
      'docs/reference/programs.md',
      'docs/reference/agents.md',
      'docs/starlark.md',
      'docs/starlark-hosts.md',
      'docs/frontends/',
      'docs/tape-format.md',
      'docs/from.md',
    ],
  ],
  ['Events', ['docs/reference/events/']],
  ['Examples', ['examples/']],
  ['Inside', ['docs/architecture.md', 'docs/decisions/', 'CONTRIBUTING.md', 'CHANGELOG.md']],
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
