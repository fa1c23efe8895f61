// A scenario with a policy that `harness install` brings into the agent, as a person does it: no line of the recipe's own, no
// flag that lets hooks run untrusted, and afterwards every file of the agent's configuration as it was.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const HARNESS = join(dirname(fileURLToPath(import.meta.url)), '../../dist/cli/harness.cjs');

/** Flags that the other scenarios need, since they register hooks without the agent's trust. */
const FLAGS = ['--dangerously-bypass-hook-trust'];

/** What installing touches, as far as it is not a file of ours alone. */
const FILES = [
  'cwd/.claude/settings.json',
  'cwd/.codex/hooks.json',
  'home/.codex/config.toml',
  'cwd/.gemini/settings.json',
];

export function installIn(agent, { cwd, root, env }) {
  const harness = (...args) =>
    spawnSync(process.execPath, [HARNESS, ...args], { cwd, env, encoding: 'utf8' });
  const before = contents(root);
  const installed = harness('install', agent.adapter);
  return {
    argv: (words) => words.filter((word) => !FLAGS.includes(word)),
    /** Proves the guards, takes them out and looks whether anything is left. */
    finish() {
      const doctor = harness('doctor', agent.adapter);
      const uninstalled = harness('uninstall', agent.adapter);
      return {
        codes: [installed.status, doctor.status, uninstalled.status],
        restored: JSON.stringify(contents(root)) === JSON.stringify(before),
        words: [installed, doctor, uninstalled].map(({ stderr }) => stderr).join(''),
      };
    },
  };
}

function contents(root) {
  return FILES.map((name) => join(root, name)).map((file) =>
    existsSync(file) ? readFileSync(file, 'latin1') : null,
  );
}
