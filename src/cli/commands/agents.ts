/** Commands that put other agents under the policy and look after it there. */
import type { CommandSpec } from '../../terminal/index.ts';
import {
  JSON_OPTION,
  MANAGED_OPTION,
  OBSERVE_OPTION,
  PLACE_OPTIONS,
  PRINT_OPTION,
} from '../common-options.ts';

export const AGENTS_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'trust',
    args: '[DIR]',
    summary: 'Show the capabilities a folder requests, and grant them',
    about:
      'Lists the capabilities of DIR (default: here) and of the policy folders above it: programs that hooks run, with the files\nthey run, modules, tools that start programs, MCP servers, models with an address or key of their own, addresses that data\nis sent to, variables. What you agree to is kept with a digest in your own configuration; a capability that changes is asked\nabout again, a changed rule is not. To agree, a person types the word that is shown at a terminal; for automation,\nHARNESS_TRUST=DIGEST does. On a managed machine only root agrees. Exits 1 when something is not agreed to.',
    options: [
      { name: 'yes', short: 'y', about: 'Do not list what is agreed to; the word is asked for all the same' },
      JSON_OPTION,
    ],
    examples: ['harness trust', 'harness trust ./agent --yes', 'harness trust --json'],
    load: () => import('../trust.ts'),
  },
  {
    name: 'untrust',
    args: '[DIR]',
    summary: 'Revoke the trust in a folder',
    about: 'Forgets what was agreed to for DIR (default: here). Its sandboxed hooks hold on.',
    options: [JSON_OPTION],
    examples: ['harness untrust', 'harness untrust ./agent'],
    load: () => import('../untrust.ts'),
  },
  {
    name: 'install',
    args: 'AGENT...',
    summary: 'Connect this policy to a coding agent',
    about:
      'Registers `.harness/guard` with each AGENT, for a folder (default: here) or for everything the user does: one short line an\nevent, the same on every machine, to be committed. Copies Harness into a folder of the user, which guards run first. Configuration\nthat is there stays as it is, to the byte; installing twice changes nothing. Says what an agent cannot honour and what is left to you. AGENT is one of claude-code,\ncodex, gemini-cli, qwen-code, copilot, cline, opencode, pi, cursor, goose.\nWith --managed it registers where users of the machine cannot switch it off (claude-code, codex, copilot, cursor,\ngemini-cli, qwen-code): in the folders that these agents read for an administrator, with the guard and the engine in\n`/etc/harness`. It wants root, or --out.\n`install mcp CLIENT` puts the MCP servers that the configuration of a client names behind `harness mcp`: CLIENT is one of\nclaude-code, claude-desktop, cursor, vscode, gemini-cli, codex.',
    options: [
      ...PLACE_OPTIONS,
      MANAGED_OPTION,
      {
        name: 'out',
        value: 'DIR',
        about: 'With --managed: write the files below DIR, to be rolled out, and change nothing here',
      },
      {
        name: 'missing',
        value: 'WHAT',
        about: 'Without Harness on a machine: refuse every call (default), or warn and let the agent go on',
      },
      PRINT_OPTION,
      OBSERVE_OPTION,
      JSON_OPTION,
    ],
    examples: [
      'harness install claude-code codex',
      'harness install gemini-cli --user --print',
      'sudo harness install claude-code codex --managed',
      'harness install claude-code codex --managed --out ./rollout',
      'harness install mcp claude-code --print',
    ],
    load: () => import('../install.ts'),
  },
  {
    name: 'uninstall',
    args: 'AGENT...',
    summary: 'Disconnect this policy from a coding agent',
    about:
      'Takes the lines, trust entries and files of `install` out again. A file that was not edited since is as it was before,\nto the byte; in another one only our entries go.',
    options: [...PLACE_OPTIONS, MANAGED_OPTION, PRINT_OPTION, JSON_OPTION],
    examples: [
      'harness uninstall claude-code',
      'harness uninstall codex --dir ~/projects/agent',
      'harness uninstall mcp claude-code',
    ],
    load: () => import('../uninstall.ts'),
  },
  {
    name: 'status',
    args: '[DIR]',
    summary: 'Show what is guarded here and which guards are off',
    about:
      'Agents that are guarded in DIR (default: here) and for the user, the policy and its layers, the last decision on the\ntapes, and every guard that is off or may be: paused, not registered, not trusted, failing open, only watching. It looks at\nfiles only; `harness doctor` tries the guards.',
    options: [JSON_OPTION],
    examples: ['harness status', 'harness status ~/projects/agent --json'],
    load: () => import('../status.ts'),
  },
  {
    name: 'sandbox',
    args: 'PROGRAM [ARGUMENT...]',
    summary: 'Start a program or a coding agent inside a sandbox',
    about:
      'Starts PROGRAM inside walls of the operating system (bubblewrap): the folder DIR (default: here) can be written, the policy and\nwhat Harness keeps cannot, the home folder is empty, other processes are not there, and the network is off. A known agent\nkeeps its settings and reaches its model through a proxy; its hooks are in place and decide outside. If the policy of the\nfolder has a `sandbox:`, that holds, and options only tighten it. Exits as PROGRAM does.',
    options: [
      { name: 'dir', short: 'd', value: 'DIR', about: 'The workspace (default: here)' },
      { name: 'network', value: 'WORD', about: 'off, allowed (through the proxy) or open' },
      { name: 'write', value: 'PATHS', about: 'Further paths that may be written, separated by colons' },
      { name: 'read', value: 'PATHS', about: 'Further paths that may be read' },
      { name: 'hide', value: 'PATHS', about: 'Paths that are not there' },
      { name: 'read-only', about: 'The workspace can only be read' },
      { name: 'print', about: 'Show the sandbox, and start nothing' },
      JSON_OPTION,
    ],
    examples: [
      'harness sandbox -- npm test',
      'harness sandbox -- claude',
      'harness sandbox --print --json -- codex exec "tidy up"',
    ],
    load: () => import('../sandbox.ts'),
  },
  {
    name: 'doctor',
    args: '[AGENT...]',
    summary: 'Prove that guards hold and ordinary work passes',
    about:
      'Looks at what is registered with each AGENT (default: all that are installed), here and for the user: is it there for\nevery event, is it trusted, is it switched off. Then sends a canary through the registered line for every event, and\nthrough copies of it whose launcher is missing or killed: each must refuse in the words of that agent. Ordinary calls\n(write a file, read one, run the tests, commit) must pass: what stops one is a problem if Harness ships it or if it failed, else\na note. Hooks that init wrote must decide as the tests they carry say. Sessions that the agent wrote down itself and that are on no tape are reported. No agent is started. Exits 1 if a guard\nis off or in the way.\nWith --watch it only compares transcripts with tapes, of all that is installed, and raises sessions as they begin.\nWith --live the agent itself is run, in namespaces of its own without a network, with a scratch copy of the policy and of what\nis registered, dummy keys and a scripted model that makes it call a tool. Green only if the tool did not run, the tape has the\nblock and the model read the reason. Nothing of the user is changed. Linux only. Exits 1 if that was not proved.',
    options: [
      ...PLACE_OPTIONS,
      MANAGED_OPTION,
      { name: 'watch', short: 'w', about: 'Raise sessions without a policy, until it is interrupted' },
      { name: 'live', about: 'Run the agent itself against a scripted model, and see whether it is stopped' },
      JSON_OPTION,
    ],
    examples: [
      'harness doctor',
      'harness doctor codex --dir ~/projects/agent --json',
      'harness doctor --live claude-code',
    ],
    load: () => import('../doctor.ts'),
  },
  {
    name: 'pause',
    args: '',
    summary: 'Let agents work unguarded for some minutes',
    about:
      'For a person at a terminal only, who types the word that is shown: not in a script, not in the shell of an agent. The pause is written down with its\nreason, shown by status, doctor and every call that passes, and over by itself. A managed policy is not paused.',
    options: [
      { name: 'for', value: 'TIME', about: 'How long: 30s, 10m, 2h; at most 8h' },
      { name: 'reason', value: 'TEXT', about: 'Why; it is written down' },
      { name: 'off', about: 'End the pause now' },
      JSON_OPTION,
    ],
    examples: ['harness pause --for 10m --reason "the policy blocks its own repair"', 'harness pause --off'],
    load: () => import('../pause.ts'),
  },
  {
    name: 'approvals',
    args: '[ls|show|allow|deny|withdraw|stats|answer] [ID]',
    summary: 'Answer the calls that wait for a person',
    about:
      'Every ask of every agent of this user is one question here, with the whole call and the rule that asks. To answer is for a\nperson at a terminal, who types the word that is shown: not in a script, not in the shell of an agent. A yes is for exactly this call: once, for its session, or\nin its folder until a date. The first answer counts. `stats` shows how often each rule asks and is approved; `answer` takes\na signed answer from a file or stdin. With --watch, questions are asked as they come, and agents wait for the answer.',
    options: [
      { name: 'session', about: 'allow: the same call for the rest of its session' },
      { name: 'folder', about: 'allow: the same call in this folder, together with --until' },
      { name: 'until', value: 'DATE', about: 'allow --folder: a date, or 2h or 7d; at most 90 days' },
      { name: 'reason', value: 'TEXT', about: 'deny: why; the agent sees it' },
      { name: 'yes', short: 'y', about: 'allow: do not show the call; the word is asked for all the same' },
      { name: 'since', value: 'T', about: 'stats: since a date, or 7d' },
      { name: 'all', short: 'a', about: 'ls: also what is over' },
      { name: 'watch', short: 'w', about: 'Show questions as they come, and ask at a terminal' },
      JSON_OPTION,
    ],
    examples: [
      'harness approvals',
      'harness approvals allow k3vq9xm2',
      'harness approvals allow k3vq9xm2 --folder --until 7d',
      'harness approvals deny k3vq9xm2 --reason "not on a Friday"',
      'harness approvals --watch',
      'harness approvals stats',
    ],
    load: () => import('../approvals.ts'),
  },
  {
    name: 'accept',
    args: '[SESSION]',
    summary: 'Take a policy change that a running session left waiting',
    about:
      'A session takes a change of its policy by itself only if it is at least as strict. Any other waits: this shows what has\nchanged and why it waits, and puts it in force in that session once a person at a terminal has typed the word that is shown.\nSESSION is the session or the question, or the beginning of one. A new session reads what is there.',
    options: [JSON_OPTION],
    examples: ['harness accept', 'harness accept 3f0c'],
    load: () => import('../accept.ts'),
  },
  {
    name: 'daemon',
    args: 'start|stop|status|serve',
    summary: 'Start, stop or show the daemon that answers fast',
    about:
      "One process a user that has policies open and decides in the launcher's place, by the same rules and onto the same tapes. It\nlistens on a socket that only its owner can reach. The launcher starts it with the first call, which it decides itself, as it does\nwhenever the daemon is missing, stopped, slow, full or of another build. It ends after half an hour without a call.\nHARNESS_DAEMON=off turns it off for a process, `daemon: off` in the user's harness.md for good; with CI=true it is never used.\n`start` begins it and waits until it answers, `stop` ends it, `status` says how it is; `serve` is the process itself, for a service\nmanager.",
    options: [
      {
        name: 'idle',
        value: 'TIME',
        about: 'End after so long without a question (default: 30m; never with --http)',
      },
      {
        name: 'http',
        value: 'PORT',
        about: 'Answer on this port of 127.0.0.1 too, to clients that send the token; 0 for any',
      },
      {
        name: 'beat',
        value: 'TIME',
        about: 'Compare transcripts of agents with tapes so often (default: 5m)',
      },
      JSON_OPTION,
    ],
    examples: ['harness daemon start', 'harness daemon start --idle 2h', 'harness daemon status --json'],
    load: () => import('../daemon.ts'),
  },
  {
    name: 'hook',
    args: 'AGENT [EVENT]',
    summary: 'Answer one event of a coding agent (called by the agent)',
    about:
      "What an agent calls: reads its payload from stdin, asks the policy and prints the answer in that agent's words. An\nallow is silence. Whatever goes wrong, and no decision in time, is answered with a block on events that can be blocked.\nState and tape of each session are in .harness/runs of DIR, or in runs of the user's policy folder.",
    options: [
      {
        name: 'dir',
        short: 'd',
        value: 'DIR',
        about: 'The project (default: here): without its policy it denies',
      },
      {
        name: 'user',
        value: 'FOLDER',
        about: "The user's policy folder; without --dir it guards every project",
      },
      {
        name: 'fail',
        value: 'MODE',
        about: 'open: let the agent go on after a fault, counted (default: closed)',
      },
      {
        name: 'deadline',
        value: 'MS',
        about: 'Answer after MS milliseconds whatever happens (default: 10000)',
      },
      { name: 'mark', about: 'End the answer with a mark, by which the guard knows that it is whole' },
    ],
    examples: [`harness hook claude-code PreToolUse --dir . < payload.json`],
    load: () => import('../hook.ts'),
  },
];
