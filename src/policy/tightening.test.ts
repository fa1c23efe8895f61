import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hookFile, tempProject } from '../../test/support/temp-project.ts';
import { openPolicy } from './open-policy.ts';
import { looseningBetween } from './policy-loss.ts';

const GUARD = '.harness/hooks/guard.md';
const NEW = '.harness/hooks/new.md';
const MD = 'harness.md';
const blocks = hookFile('def handle(event, payload):\n    return block("no")');
const allows = hookFile('def handle(event, payload):\n    return allow()');
const script = (...lines: string[]) =>
  hookFile(['def handle(event, payload):', ...lines.map((line) => `    ${line}`)].join('\n'));
const settings = (...lines: string[]) => ({ [MD]: `---\n${lines.join('\n')}\n---\nAn agent.\n` });

type Files = Readonly<Record<string, string | null>>;

/** What keeps a session from taking the change of these files; null: nothing. */
async function loosened(before: Files, change: Files): Promise<string | null> {
  const files = { [GUARD]: blocks, ...before } as Record<string, string>;
  const dir = tempProject(files);
  const places = { managed: null, user: null };
  const was = await openPolicy(dir, { places });
  expect(was.digest.digest).toHaveLength(64);
  for (const [path, text] of Object.entries(change)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    if (text === null) rmSync(join(dir, path));
    else writeFileSync(join(dir, path), text);
  }
  return looseningBetween(was, await openPolicy(dir, { places }));
}

describe('a session takes by itself a change that is at least as strict:', () => {
  const table: readonly (readonly [string, Files, Files])[] = [
    ['a hook more that blocks', {}, { [NEW]: blocks }],
    [
      'a hook more that asks about some',
      {},
      { [NEW]: script('if "x" in str(payload):', '    return ask("sure?")', 'return allow()') },
    ],
    [
      'a hook more that answers with a helper',
      {},
      {
        [NEW]: hookFile('def no():\n    return block("no")\n\ndef handle(event, payload):\n    return no()'),
      },
    ],
    ['strict', settings('strict: false'), settings('strict: true')],
    ['a pack more', settings('use: [core]'), settings('use: [core, git]')],
    ['a pack in force that was in audit', settings('use: [{core: audit}]'), settings('use: [core]')],
    [
      'an exception less',
      settings('use: [core]', 'exceptions: [{rule: core, reason: x}]'),
      settings('use: [core]'),
    ],
    [
      'a stricter default of permissions',
      settings('permissions: {default: auto}'),
      settings('permissions: {default: never}'),
    ],
    [
      'a table of permissions where there was none',
      settings('strict: true'),
      settings('strict: true', 'permissions: {default: ask}'),
    ],
    ['less on the tape', settings('tape: {payloads: redacted}'), settings('tape: {payloads: digest}')],
    ['other words for the agent', { [MD]: 'An agent.\n' }, { [MD]: 'Another agent.\n' }],
  ];
  it.each(table)('%s', async (_what, before, change) => {
    expect(await loosened(before, change)).toBeNull();
  });
});

describe('a session leaves waiting, and says why,', () => {
  const table: readonly (readonly [string, Files, Files, RegExp])[] = [
    ['a hook that is another', {}, { [GUARD]: allows }, /guard\.md has changed/],
    [
      'a hook that blocks in other words',
      {},
      { [GUARD]: blocks.replace('"no"', '"not"') },
      /guard\.md has changed/,
    ],
    ['a hook that is gone', { [NEW]: blocks }, { [NEW]: null }, /new\.md is gone/],
    ['a hook more that rewrites', {}, { [NEW]: script('return modify({"args": {}})') }, /can do more/],
    [
      'a hook more that rewrites by a dict',
      {},
      { [NEW]: script('return {"act" + "ion": "modify", "payload": {}}') },
      /can do more/,
    ],
    ['a hook more whose answer is not known', {}, { [NEW]: script('return payload["x"]') }, /can do more/],
    [
      'a hook more that says yes in a person’s place',
      {},
      { [NEW]: allows.replace('tool.pre', 'permission.asked') },
      /can do more/,
    ],
    [
      'a hook more that writes what others read',
      {},
      { [NEW]: script('metrics.set("tests", 1)', 'return allow()') },
      /can do more/,
    ],
    [
      'a hook more that only records',
      {},
      { [NEW]: blocks.replace('event:', 'mode: shadow\nevent:') },
      /can do more/,
    ],
    [
      'a file that cannot be read',
      {},
      { [NEW]: '---\nevent: tool.pre\nscript: |\n  def handle(:\n---\n' },
      /without an error/,
    ],
    ['a table more, which a hook may wait for', {}, { '.harness/data/x.json': '[1]' }, /x\.json is new/],
    ['strict no more', settings('strict: true'), settings('strict: false'), /strict/],
    ['a pack less', settings('use: [core, git]'), settings('use: [core]'), /pack git/],
    [
      'a rule in audit',
      settings('use: [core]'),
      settings('use: [core, {core/delete-project: audit}]'),
      /rule core\/delete-project/,
    ],
    [
      'an exception more',
      settings('use: [core]'),
      settings('use: [core]', 'exceptions: [{rule: core, reason: x}]'),
      /exception from core/,
    ],
    [
      'a weaker default of permissions',
      settings('permissions: {default: never}'),
      settings('permissions: {default: ask}'),
      /permissions/,
    ],
    [
      'a rule of permissions more, which may come first',
      settings('permissions: {default: never}'),
      settings('permissions: {default: never, rules: [{tools: "*", zone: auto}]}'),
      /permissions/,
    ],
    ['observing', settings('strict: true'), settings('strict: true', 'observe: true'), /observe|guard/],
    [
      'an end of observing, by which hooks may rewrite',
      settings('observe: true'),
      settings('observe: false'),
      /observe/,
    ],
    ['no sandbox', settings('strict: true', 'sandbox: {network: none}'), settings('strict: true'), /sandbox/],
    [
      'a sandbox with a network',
      settings('sandbox: {network: none}'),
      settings('sandbox: {network: full}'),
      /sandbox/,
    ],
    [
      'another host that scripts reach',
      settings('network: {allowed_domains: [a.example]}'),
      settings('network: {allowed_domains: [a.example, b.example]}'),
      /allowedDomains|hosts/,
    ],
    [
      'less trust in no source',
      settings('sources: {web: untrusted}'),
      settings('sources: {web: trusted}'),
      /sources/,
    ],
  ];
  it.each(table)('%s', async (_what, before, change, why) => {
    expect(await loosened(before, change)).toMatch(why);
  });
});
