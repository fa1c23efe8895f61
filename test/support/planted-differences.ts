/**
 * Pairs of policies with one difference each, and the class of decisions in which it shows.
 */

import { expect } from 'vitest';
import { type SearchResult, type Side, searchDifferences } from '../../src/policy/diff/search.ts';
import { ScriptCollector } from '../../src/policy/diff/vocabulary.ts';
import { openPolicy } from '../../src/policy/open-policy.ts';
import { tempProject } from './temp-project.ts';

export type Files = Readonly<Record<string, string>>;

export async function side(files: Files): Promise<Side> {
  const scripts = new ScriptCollector();
  const dir = tempProject({ 'harness.md': '---\nname: x\n---\n', ...files });
  const places = { managed: null, user: null };
  const policy = await openPolicy(dir, { places, trust: 'no code', check: scripts.check });
  expect(policy.problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  return { policy, scripts };
}

export async function diff(old: Files, next: Files, tries = 1200, seed = 1): Promise<SearchResult> {
  return searchDifferences(await side(old), await side(next), { seed, tries });
}

export const classes = ({ groups }: SearchResult) => [...new Set(groups.map((group) => group.class))].sort();

export const hook = (script: string, fields = 'event: tool.pre\npriority: 10') =>
  `---\n${fields}\nscript: |\n${script.replace(/^/gm, '  ')}\n---\n`;

export const guard = (test: string, more = '') =>
  hook(`def handle(event, payload):
    args = payload["args"]
    command = args.get("command", "")
    if ${test}:
        return block("not this one")
${more}    return allow()`);

export const one = (text: string): Files => ({ '.harness/hooks/guard.md': text });
export const settings = (yaml: string): Files => ({ 'harness.md': `---\nname: x\n${yaml}\n---\n` });

export const BASE = guard(
  're.search("^git push.*--force", command)',
  '    if "deploy" in command:\n        return ask("sure?")\n',
);

export const PLANTED: readonly [what: string, old: Files, next: Files, kind: string][] = [
  [
    'a loosened regex',
    one(guard('re.search("rm\\\\s+-r[a-z]*", command)')),
    one(guard('re.search("rm -r[a-z]*", command)')),
    'block->allow',
  ],
  [
    'an anchor that was added',
    one(guard('re.search("curl .*[|] *sh", command)')),
    one(guard('re.search("^curl .*[|] *sh", command)')),
    'block->allow',
  ],
  [
    'a rule that was dropped',
    one(BASE),
    one(guard('re.search("^git push.*--force", command)')),
    'ask->allow',
  ],
  [
    'a hook that was taken away',
    { ...one(BASE), '.harness/hooks/other.md': guard('"drop table" in command.lower()') },
    one(BASE),
    'block->allow',
  ],
  [
    'a pack that is audited only',
    settings('use:\n  - git: enforce'),
    settings('use:\n  - git: audit'),
    'block->allow',
  ],
  [
    'one rule of a pack that asks',
    settings('use:\n  - git: enforce'),
    settings('use:\n  - git: enforce\n  - git/force-push: ask'),
    'block->ask',
  ],
  [
    'an exception for a folder',
    settings('use:\n  - core'),
    settings(
      'use:\n  - core\nexceptions:\n  - rule: core\n    folder: scratch\n    reason: it is thrown away',
    ),
    'block->allow',
  ],
  [
    'an exception until a day',
    settings('use:\n  - core\nexceptions:\n  - rule: core\n    expires: "2026-03-01"\n    reason: a move'),
    settings('use:\n  - core\nexceptions:\n  - rule: core\n    expires: "2026-05-01"\n    reason: a move'),
    'block->allow',
  ],
  [
    'a row of permissions',
    settings('permissions:\n  rules:\n    - {tools: "deploy_*", args: {stage: "prod*"}, zone: never}'),
    settings('permissions:\n  rules:\n    - {tools: "deploy_*", args: {stage: "production"}, zone: never}'),
    'block->allow',
  ],
  [
    'a swap of priorities that matters',
    {
      '.harness/hooks/shape.md': hook(
        'def handle(event, payload):\n    command = payload["args"].get("command", "")\n    return modify({"args": {"command": command.replace("npm ", "pnpm ")}}) if command.startswith("npm ") else allow()',
      ),
      '.harness/hooks/stop.md': hook(
        'def handle(event, payload):\n    return block("no npm") if payload["args"].get("command", "").startswith("npm ") else allow()',
        'event: tool.pre\npriority: 20',
      ),
    },
    {
      '.harness/hooks/shape.md': hook(
        'def handle(event, payload):\n    command = payload["args"].get("command", "")\n    return modify({"args": {"command": command.replace("npm ", "pnpm ")}}) if command.startswith("npm ") else allow()',
        'event: tool.pre\npriority: 20',
      ),
      '.harness/hooks/stop.md': hook(
        'def handle(event, payload):\n    return block("no npm") if payload["args"].get("command", "").startswith("npm ") else allow()',
      ),
    },
    'modify->block',
  ],
  [
    'a condition on an argument key',
    one(
      hook(
        'def handle(event, payload):\n    return block("no")',
        'event: tool.pre\npriority: 10\nwhen: payload["name"] == "publish" and payload["args"].get("branch") == "main"',
      ),
    ),
    one(
      hook(
        'def handle(event, payload):\n    return block("no")',
        'event: tool.pre\npriority: 10\nwhen: payload["name"] == "publish" and payload["args"].get("ref") == "main"',
      ),
    ),
    'block->allow',
  ],
  [
    'another mode of a hook',
    one(BASE),
    one(BASE.replace('event: tool.pre', 'event: tool.pre\nmode: shadow')),
    'block->allow',
  ],
  [
    'another rewrite',
    one(
      hook(
        'def handle(event, payload):\n    return modify({"args": {"limit": 10}}) if payload["name"] == "query" else allow()',
      ),
    ),
    one(
      hook(
        'def handle(event, payload):\n    return modify({"args": {"limit": 20}}) if payload["name"] == "query" else allow()',
      ),
    ),
    'modify->modify',
  ],
  [
    'a limit on the size of a number',
    one(guard('args.get("amount", 0) > 100')),
    one(guard('args.get("amount", 0) >= 100')),
    'allow->block',
  ],
  [
    'a number of calls that are let through',
    one(
      hook(
        'def handle(event, payload):\n    n = state.get("n", 0) + 1\n    state.set("n", n)\n    return block("enough") if n > 5 else allow()',
      ),
    ),
    one(
      hook(
        'def handle(event, payload):\n    n = state.get("n", 0) + 1\n    state.set("n", n)\n    return block("enough") if n > 7 else allow()',
      ),
    ),
    'block->allow',
  ],
  [
    'a word in what a prompt may say',
    one(
      hook(
        'def handle(event, payload):\n    return block("no") if "password" in payload.lower() else allow()',
        'event: turn.start\npriority: 10',
      ),
    ),
    one(
      hook(
        'def handle(event, payload):\n    return block("no") if "password" in payload else allow()',
        'event: turn.start\npriority: 10',
      ),
    ),
    'block->allow',
  ],
  [
    'who may do it',
    one(
      hook(
        'def handle(event, payload):\n    return allow() if actor and "deploy" in actor.get("scopes", []) else block("not yours")',
      ),
    ),
    one(
      hook(
        'def handle(event, payload):\n    return allow() if actor and "release" in actor.get("scopes", []) else block("not yours")',
      ),
    ),
    'block->allow',
  ],
  [
    'an event that is no longer listened to',
    one(
      hook(
        'def handle(event, payload):\n    return block("secret") if "AKIA" in payload["content"] else allow()',
        'event: tool.post\npriority: 10',
      ),
    ),
    {},
    'block->allow',
  ],
  [
    'a hook that only warns',
    one(BASE.replace('event: tool.pre', 'event: tool.pre\nmode: warn')),
    one(BASE.replace('event: tool.pre', 'event: tool.pre\nmode: shadow')),
    'effects',
  ],
];
