// `harness doctor --live` against real agents: green for what `install` wrote, red when that is broken in any of these ways. A
// break is what happens to a person's files afterwards: an editor, another tool, an update, a tidy hand.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const json = (file, change) => {
  const value = JSON.parse(readFileSync(file, 'utf8'));
  change(value);
  writeFileSync(file, JSON.stringify(value, null, 2));
};
const text = (file, change) => {
  const before = readFileSync(file, 'utf8');
  const after = change(before);
  if (after === before) throw new Error(`${file}: nothing was broken`);
  writeFileSync(file, after);
};

/** Where the registration stands, and how it is broken there. */
const LISTS = {
  'claude-code': { file: '.claude/settings.json', event: 'PreToolUse', other: 'Notification', soon: 0.001 },
  codex: { file: '.codex/hooks.json', event: 'PreToolUse', other: 'PreCompact', soon: 0 },
  'gemini-cli': { file: '.gemini/settings.json', event: 'BeforeTool', other: 'Notification', soon: 1 },
};
const PLUGIN = '.harness-guard/opencode.js';

const inList = (change) => (context) => {
  const { file, event } = LISTS[context.agent];
  json(join(context.cwd, file), ({ hooks }) => change(hooks, event, LISTS[context.agent]));
};
const inPlugin =
  (change) =>
  ({ cwd }) =>
    text(join(cwd, PLUGIN), change);
const either = (list, plugin) => (context) => (context.agent === 'opencode' ? plugin : list)(context);
/** In every registered line, wherever it stands. */
const inLines = (change) => (context) =>
  text(join(context.cwd, context.agent === 'opencode' ? PLUGIN : LISTS[context.agent].file), change);

/** Never a way to switch hooks off that the agent does not have. */
const OFF = {
  'claude-code': ({ cwd }) =>
    json(join(cwd, '.claude/settings.json'), (all) => {
      all.disableAllHooks = true;
    }),
  // Its digests are gone: the hooks are there and are skipped without a word.
  codex: ({ home }) =>
    text(join(home, '.codex/config.toml'), (all) =>
      all.replaceAll(/^trusted_hash = .*$/gm, 'trusted_hash = "sha256:00"'),
    ),
  'gemini-cli': ({ cwd }) =>
    json(join(cwd, '.gemini/settings.json'), (all) => {
      all.hooksConfig = { enabled: false };
    }),
  opencode: ({ cwd }) =>
    text(join(cwd, PLUGIN), (all) => all.replace('export const Harness', 'const Harness')),
};

export const BREAKS = {
  'hook line removed': either(
    inList((hooks, event) => delete hooks[event]),
    ({ cwd }) =>
      json(join(cwd, 'opencode.json'), (all) => {
        all.plugin = [];
      }),
  ),
  'registered for another event': either(
    inList((hooks, event, { other }) => {
      hooks[other] = hooks[event];
      delete hooks[event];
    }),
    inPlugin((all) => all.replace("'tool.execute.before': async", "'tool.execute.begun': async")),
  ),
  'matcher that misses': either(
    inList((hooks, event) => {
      hooks[event][0].matcher = 'NoSuchTool';
    }),
    inPlugin((all) =>
      all.replace(
        /('tool.execute.before': async \(input, output\) => \{)/,
        "$1 if (input.tool !== 'none') return;",
      ),
    ),
  ),
  'timeout too small': either(
    inList((hooks, event, { soon }) => {
      hooks[event][0].hooks[0].timeout = soon;
    }),
    inPlugin((all) => all.replace(/const DEADLINE_MS = \d+/, 'const DEADLINE_MS = 1')),
  ),
  'engine deleted': ({ root }) => rmSync(join(root, 'engine/hook.cjs')),
  'switched off or untrusted': (context) => OFF[context.agent](context),
  'policy folder gone': ({ cwd }) => rmSync(join(cwd, '.harness'), { recursive: true }),
  'set to fail open': inLines((all) =>
    all.includes('"--mark"')
      ? all.replaceAll('"--mark"', '"--fail", "open", "--mark"')
      : all.replaceAll(' --mark', ' --fail open --mark'),
  ),
  'answers in another dialect': inLines((all) =>
    all
      .replaceAll(
        /(hook\.cjs'?) (claude-code|codex|gemini-cli) (PreToolUse|BeforeTool) /g,
        '$1 cline PreToolUse ',
      )
      .replaceAll(/"opencode",\s*"tool\.execute\.before"/g, '"pi", "tool_call"'),
  ),
  'interpreter missing': inLines((all) => all.replaceAll(process.execPath, '/nonexistent/node')),
  'settings that cannot be read': either(
    ({ agent, cwd }) => text(join(cwd, LISTS[agent].file), (all) => all.slice(0, all.lastIndexOf('}'))),
    ({ cwd }) => text(join(cwd, PLUGIN), (all) => `${all}\n}`),
  ),
  'engine that may not be read': ({ root }) => {
    // Root may read everything: what cannot be read is a folder there.
    const engine = join(root, 'engine/hook.cjs');
    rmSync(engine);
    mkdirSync(engine);
    chmodSync(engine, 0);
  },
};

/** As a user with the agent on the PATH. Gives what `doctor --live --json` says of it. */
export function doctorLive(agent, { cwd, home, root, argv, env, harness }, { live, user }) {
  const bin = join(root, 'bin');
  mkdirSync(bin, { recursive: true });
  const program = argv.find((word) => word.includes('/node_modules/'));
  symlinkSync(program, join(bin, agent.program));
  BREAKS[live]?.({ agent: agent.adapter, cwd, home, root });
  const words = [...harness, 'doctor', '--live', agent.adapter, ...(user ? ['--user'] : []), '--json'];
  const { stdout, stderr, status } = spawnSync(process.execPath, words, {
    cwd,
    env: { ...env, PATH: `${bin}:${env.PATH}:/usr/sbin:/sbin` },
    encoding: 'utf8',
  });
  let said;
  try {
    said = JSON.parse(stdout);
  } catch {
    return { verdict: 'none', causes: [stderr], status };
  }
  const { verdict, causes, facts } = said.agents[0]?.live ?? { verdict: 'none', causes: said.problems };
  return { verdict, causes, facts, status, ok: said.ok };
}
