// `harness doctor --live` against real agents: green for what `install` wrote, red when that is broken in any of these ways. A
// break is what happens to a person's files afterwards: an editor, another tool, an update, a tidy hand.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { COPIED } from './guarded.mjs';

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

/** Lists of hooks in a file of settings: `first` gives the handler of an entry, `misses` makes the entry be for something else. */
const list = ({
  file,
  event,
  other,
  time = 'timeout',
  soon,
  off,
  switched,
  first = (entry) => entry.hooks[0],
  misses,
}) => {
  const inHooks = (change) => (place) => json(join(place.cwd, file), ({ hooks }) => change(hooks));
  return {
    ...{ file, event, off, switched },
    removed: inHooks((hooks) => delete hooks[event]),
    elsewhere: inHooks((hooks) => {
      hooks[other] = hooks[event];
      delete hooks[event];
    }),
    misses: inHooks((hooks) => misses(hooks[event][0])),
    hasty: inHooks((hooks) => {
      first(hooks[event][0])[time] = soon;
    }),
    unreadable: (place) => text(join(place.cwd, file), (all) => all.slice(0, all.lastIndexOf('}'))),
  };
};
const noSuchTool = (entry) => {
  entry.matcher = 'NoSuchTool';
};
const setting =
  (file, change) =>
  ({ cwd }) =>
    json(join(cwd, file), change);

/** A file of code inside the agent: each break is an edit of it, unless it is given. */
const code = ({ file, event, elsewhere, misses, off, removed }) => {
  const edit = (change) => (place) => text(join(place.cwd, file), change);
  return {
    ...{ file, event },
    removed: removed ?? ((place) => rmSync(join(place.cwd, file))),
    elsewhere: edit((all) => all.replace(...elsewhere)),
    misses: edit((all) => all.replace(...misses)),
    hasty: edit((all) => all.replace(/const DEADLINE_MS = \d+/, 'const DEADLINE_MS = 1')),
    off: edit((all) => all.replace(...off)),
    unreadable: edit((all) => `${all}\n}`),
  };
};

const CLINE_FILE = '.clinerules/hooks/PreToolUse';
const inClineFile = (change) => (place) => text(join(place.cwd, CLINE_FILE), change);

/** Where the registration stands in each agent, and how it is broken there. Never by a switch that the agent does not have. */
const REGISTERED = {
  'claude-code': list({
    ...{ file: '.claude/settings.json', event: 'PreToolUse', other: 'Notification', soon: 0.001 },
    misses: noSuchTool,
    off: setting('.claude/settings.json', (all) => {
      all.disableAllHooks = true;
    }),
    switched: ({ home }) => {
      mkdirSync(join(home, '.claude'), { recursive: true });
      writeFileSync(join(home, '.claude/settings.json'), '{"env":{"CLAUDE_CODE_SIMPLE":"1"}}');
    },
  }),
  codex: list({
    ...{ file: '.codex/hooks.json', event: 'PreToolUse', other: 'PreCompact', soon: 0 },
    misses: noSuchTool,
    // Its digests are gone: the hooks are there and are skipped without a word.
    off: ({ home }) =>
      text(join(home, '.codex/config.toml'), (all) =>
        all.replaceAll(/^trusted_hash = .*$/gm, 'trusted_hash = "sha256:00"'),
      ),
    switched: ({ home }) =>
      text(join(home, '.codex/config.toml'), (all) =>
        all.replaceAll(/^trusted_hash = .*$/gm, '$&\nenabled = false'),
      ),
  }),
  'gemini-cli': list({
    ...{ file: '.gemini/settings.json', event: 'BeforeTool', other: 'Notification', soon: 1 },
    misses: noSuchTool,
    off: setting('.gemini/settings.json', (all) => {
      all.hooksConfig = { enabled: false };
    }),
    switched: setting('.gemini/settings.json', (all) => {
      all.hooksConfig = { disabled: ['harness-BeforeTool'] };
    }),
  }),
  'qwen-code': list({
    ...{ file: '.qwen/settings.json', event: 'PreToolUse', other: 'Notification', soon: 1 },
    misses: noSuchTool,
    off: setting('.qwen/settings.json', (all) => {
      all.disableAllHooks = true;
    }),
  }),
  copilot: list({
    ...{ file: '.github/hooks/harness.json', event: 'preToolUse', other: 'errorOccurred' },
    ...{ time: 'timeoutSec', soon: 0.001, first: (entry) => entry },
    // For another system.
    misses: (entry) => {
      entry.powershell = entry.bash;
      delete entry.bash;
    },
    off: ({ home }) =>
      json(join(home, '.copilot/config.json'), (all) => {
        all.trustedFolders = [];
      }),
  }),
  opencode: code({
    ...{ file: '.harness-guard/opencode.js', event: 'tool.execute.before' },
    removed: setting('opencode.json', (all) => {
      all.plugin = [];
    }),
    elsewhere: ["'tool.execute.before': async", "'tool.execute.begun': async"],
    misses: [
      /('tool.execute.before': async \(input, output\) => \{)/,
      "$1 if (input.tool !== 'none') return;",
    ],
    off: ['export const Harness', 'const Harness'],
  }),
  pi: code({
    ...{ file: '.pi/extensions/harness.ts', event: 'tool_call' },
    elsewhere: ["pi.on('tool_call'", "pi.on('tool_begun'"],
    misses: [
      /(pi\.on\('tool_call', async \(event, ctx\) => \{)/,
      "$1 if (event.toolName !== 'none') return;",
    ],
    off: ['export default function harness', 'export default () => {}; function harness'],
  }),
  cline: {
    ...{ file: CLINE_FILE, event: 'PreToolUse' },
    removed: ({ cwd }) => rmSync(join(cwd, CLINE_FILE)),
    elsewhere: ({ cwd }) => renameSync(join(cwd, CLINE_FILE), join(cwd, '.clinerules/hooks/TaskResume')),
    misses: inClineFile((all) => all.replace('\n', '\nexit 0\n')),
    hasty: ({ cwd }) => text(join(cwd, '.harness/guard'), (all) => all.replace('limit=10 ', 'limit=0 ')),
    // It runs files that may not be run: only another name keeps it from it.
    off: ({ cwd }) => renameSync(join(cwd, CLINE_FILE), join(cwd, `${CLINE_FILE}.disabled`)),
    unreadable: inClineFile((all) => all.replace('\n', '\n(\n')),
  },
};

const here = (how) => (place) => REGISTERED[place.agent][how](place);
/** In every registered line of the file. */
const inLines = (change) => (place) => {
  const { file, event } = REGISTERED[place.agent];
  text(join(place.cwd, file), (all) => change(all, { agent: place.agent, event }));
};

/** Another agent, which reads another answer, by the form in which the words of the launcher stand in the file. */
const inAnother = (all, { agent, event }) => {
  const words = agent === 'cline' ? 'claude-code PreToolUse' : 'cline PreToolUse';
  const other = agent === 'pi' ? 'opencode' : 'pi';
  return all
    .replaceAll(` ${agent} ${event}`, ` ${words}`)
    .replaceAll(`const AGENT = "${agent}"`, `const AGENT = "${other}"`);
};

export const BREAKS = {
  'hook line removed': here('removed'),
  'registered for another event': here('elsewhere'),
  'matcher that misses': here('misses'),
  'timeout too small': here('hasty'),
  'engine deleted': ({ root }) => rmSync(join(root, COPIED)),
  'switched off or untrusted': here('off'),
  'switched off by a second switch': here('switched'),
  'policy folder gone': ({ cwd }) => rmSync(join(cwd, '.harness'), { recursive: true }),
  'set to fail open': ({ cwd }) =>
    text(join(cwd, '.harness/guard'), (all) => all.replaceAll(' --mark', ' --fail open --mark')),
  'guard deleted': ({ cwd }) => rmSync(join(cwd, '.harness/guard')),
  'answers in another dialect': inLines(inAnother),
  'interpreter missing': ({ root }) => {
    const node = join(root, COPIED, '../../../node');
    rmSync(node);
    symlinkSync('/bin/false', node);
  },
  'settings that cannot be read': here('unreadable'),
  'engine that may not be read': ({ root }) => {
    // Root may read everything: what cannot be read is a folder there.
    const engine = join(root, COPIED);
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
