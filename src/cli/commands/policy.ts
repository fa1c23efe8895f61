/** Commands that write a policy and say what it holds. */
import type { CommandSpec } from '../../terminal/index.ts';
import { ACTOR_OPTION, ALLOW_EMPTY, JSON_OPTION } from '../common-options.ts';

export const POLICY_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'init',
    args: '[DIR] [SOURCE]',
    summary: 'Write a policy to start from into .harness/',
    about:
      'Writes .harness/ into DIR (default: here): hooks, packs of rules over commands, tests and a README that lists them. At a terminal it\nasks three questions: which agents to connect, strict or observe, for a team or for you alone. Options answer them, too.\nFiles that exist are never overwritten unless --force is given.\nWith --from, takes over the hooks of a project of another system instead: one folder is where that project stands, with two the first is where it is taken to. It copies, says what is left to do and lists every problem.',
    options: [
      {
        name: 'from',
        value: 'SYSTEM',
        about: 'Take over a project of ai-harness, claude-code, framework, harn or loom',
      },
      { name: 'force', about: 'Overwrite files that exist' },
      { name: 'yes', short: 'y', about: 'Ask nothing: strict, for a team, no agents unless named' },
      { name: 'agents', value: 'LIST', about: 'Connect these agents as well, with commas between' },
      { name: 'observe', about: 'Only record what hooks and rules would have done' },
      { name: 'user', about: 'For all your folders: write into your own policy folder' },
      JSON_OPTION,
    ],
    examples: [
      'harness init',
      'harness init --yes --agents claude-code,codex ~/projects/agent',
      'harness init --from claude-code ~/projects/agent',
    ],
    load: () => import('../init.ts'),
  },
  {
    name: 'new',
    args: 'hook|tool|pack NAME',
    summary: 'Write a hook, tool or rule pack to start from, with its test',
    about:
      'Writes .harness/hooks/NAME.md with a test in its front matter, or .harness/tools/NAME.md or\n.harness/packs/NAME.yaml with a test in .harness/tests/NAME.yaml. A pack gets its line under use: in harness.md, pinned by its\ndigest: write the new one there when you have changed the pack; validate says it. Nothing that exists is overwritten.',
    options: [
      { name: 'event', short: 'e', value: 'EVENT', about: 'The event of the hook (default: tool.pre)' },
      { name: 'dir', short: 'd', value: 'DIR', about: 'The project to write into (default: here)' },
    ],
    examples: [
      'harness new hook no_force_push',
      'harness new hook greeting --event turn.start',
      'harness new tool slugify',
      'harness new pack team',
    ],
    load: () => import('../new.ts'),
  },
  {
    name: 'validate',
    args: '[DIR]',
    summary: 'List every problem in a policy, each with its place',
    about:
      'Reads all hooks, tools and settings of DIR (default: here) and lists every problem at once, with its place,\nalso what scripts will do wrong once they run: a key the payload does not have, a decision that is not returned.\nWith --target also what becomes of each hook in those agents: what they carry, what degrades and to what, what they\nignore; a hook that does not hold there is a warning, one that no tool of theirs can match is an error. Exits 1 when\nthere are errors; with --strict also when there are warnings.',
    options: [
      { name: 'strict', about: 'Treat warnings as errors' },
      { name: 'target', value: 'AGENT,…', about: 'Say what becomes of each hook in these agents' },
      {
        name: 'format',
        value: 'FORMAT',
        about: 'Print as text, json, sarif or github (notes of a workflow)',
      },
      { name: 'watch', short: 'w', about: 'Look again at every change, until interrupted' },
      JSON_OPTION,
    ],
    examples: [
      'harness validate',
      'harness validate --watch',
      'harness validate --format sarif > harness.sarif',
      'harness validate --strict ./agent',
      'harness validate --target gemini,codex',
    ],
    load: () => import('../validate.ts'),
  },
  {
    name: 'hooks',
    args: '[DIR]',
    summary: 'Show the hooks of each event, in the order they run',
    about:
      'Prints the policy of DIR (default: here): for each event its hooks from first to last, one line each.',
    options: [
      { name: 'event', short: 'e', value: 'EVENT', about: 'Only the chain of this event' },
      {
        name: 'target',
        value: 'AGENT,…',
        about: 'Say for each hook whether it can ever run in these agents',
      },
      JSON_OPTION,
    ],
    examples: [
      'harness hooks',
      'harness hooks --event tool.pre --json',
      'harness hooks --target claude-code',
    ],
    load: () => import('../hooks.ts'),
  },
  {
    name: 'packs',
    args: '[ls|show] [NAME]',
    summary: 'List the rule packs, or show one pack or rule',
    about:
      'ls lists the packs that ship and those this folder uses, with how they are in force here. show prints the rules of\na pack, or one rule, with what they stop, what they let pass and the safer way they name.',
    options: [
      { name: 'dir', short: 'd', value: 'DIR', about: 'Whose policy says what is in force (default: here)' },
      JSON_OPTION,
    ],
    examples: ['harness packs', 'harness packs show git', 'harness packs show core/disk-write --json'],
    load: () => import('../packs.ts'),
  },
  {
    name: 'explain',
    args: 'COMMAND|TAPE [SEQ]',
    summary: 'Explain what a command does, or why a decision was made',
    about:
      'Reads COMMAND as the rules do and runs nothing: every program it starts, what each reads, writes and deletes, which\nrules look at it, which hold, and what an exception would change.\nWith TAPE and SEQ, or TAPE:SEQ as `tape find` prints it: the story of the decision that entry SEQ of the tape is part of, in\nthe words of `decide --explain`.',
    options: [
      { name: 'dir', short: 'd', value: 'DIR', about: 'Whose policy says what is in force (default: here)' },
      {
        name: 'shell',
        value: 'NAME',
        about: 'The shell that runs it: bash, dash, zsh, powershell, cmd (default: any sh)',
      },
      JSON_OPTION,
    ],
    examples: [
      "harness explain 'git push --force'",
      "harness explain 'find . -delete' --json",
      'harness explain 4f1c 21',
    ],
    load: () => import('../explain-command.ts'),
  },
  {
    name: 'report',
    args: '[TAPES...]',
    summary: 'Show what the policy would have stopped in recorded sessions',
    about:
      'Holds every tool call on TAPES (files, folders, a project; default: here) against the packs of rules in force, those\nin audit among them, and adds up by rule what they stop, with examples.',
    options: [
      { name: 'dir', short: 'd', value: 'DIR', about: 'Whose policy says what is in force (default: here)' },
      JSON_OPTION,
    ],
    examples: ['harness report', 'harness report .harness/runs --json'],
    load: () => import('../report.ts'),
  },
  {
    name: 'decide',
    args: 'EVENT',
    summary: 'Ask the policy about one event and print its decision',
    about:
      'Fires EVENT with a JSON payload through the hooks of a project and prints the outcome. The payload is read\nfrom --payload, or from stdin when something is piped in. A hook file that cannot be loaded blocks every\ngate event it might have guarded.',
    options: [
      {
        name: 'payload',
        short: 'p',
        value: 'FILE|JSON',
        about: 'The payload, or the file to read it from; - is stdin',
      },
      {
        name: 'dir',
        short: 'd',
        value: 'DIR',
        about: 'Where to look for policy, and upwards from there (default: here)',
      },
      ALLOW_EMPTY,
      JSON_OPTION,
      { name: 'explain', about: 'Tell how the decision came about, hook by hook' },
      { name: 'exit-code', about: 'Exit 2 when the operation must not go on' },
      { name: 'lines', about: 'One payload a line in, one outcome as JSON a line out' },
      ACTOR_OPTION,
      {
        name: 'session',
        value: 'ID',
        about: 'Count and remember with this session and with all others (default: nothing is kept)',
      },
    ],
    examples: [
      `echo '{"name":"run_command","args":{"command":"ls"}}' | harness decide tool.pre`,
      'harness decide tool.pre --payload call.json --explain',
      'harness decide tool.pre --lines < calls.jsonl > outcomes.jsonl',
    ],
    load: () => import('../decide.ts'),
  },
];
