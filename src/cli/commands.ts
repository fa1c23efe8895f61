/**
 * The table of commands: the one place that says what the command line offers. Nothing here loads a command's code.
 */
import type { CommandSpec } from './command.ts';
import {
  ACTOR_OPTION,
  ALLOW_EMPTY,
  JSON_OPTION,
  OBSERVE_OPTION,
  PLACE_OPTIONS,
  PRINT_OPTION,
  SIGN,
} from './common-options.ts';

export const COMMANDS: readonly CommandSpec[] = [
  {
    name: 'init',
    args: '[DIR] [SOURCE]',
    summary: 'Scaffold .harness/ with the governed stack',
    about:
      'Writes .harness/ into DIR (default: here): nine hooks that make a governed agent, packs of rules over commands, example tools and a README.\nFiles that exist are never overwritten unless --force is given.\nWith --from, takes over the hooks of a project of another system instead: one folder is where that project stands, with two the first is where it is taken to. It copies, says what is left to do and lists every problem.',
    options: [
      {
        name: 'from',
        value: 'SYSTEM',
        about: 'Take over a project of ai-harness, claude-code, framework, harn or loom',
      },
      { name: 'force', about: 'Overwrite files that exist' },
      { name: 'observe', about: 'Only record what hooks and rules would have done' },
      JSON_OPTION,
    ],
    examples: [
      'harness init',
      'harness init ~/projects/agent',
      'harness init --from claude-code ~/projects/agent',
    ],
    load: () => import('./init.ts'),
  },
  {
    name: 'new',
    args: 'hook|tool|pack NAME',
    summary: 'Write a hook, a tool or a pack to begin with, and its test',
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
    load: () => import('./new.ts'),
  },
  {
    name: 'validate',
    args: '[DIR]',
    summary: 'List every problem of the hooks, tools and settings in DIR',
    about:
      'Reads all hooks, tools and settings of DIR (default: here) and lists every problem at once, with its place,\nalso what scripts will do wrong once they run: a key the payload does not have, a decision that is not returned.\nWith --target also what becomes of each hook in those agents: what they carry, what degrades and to what, what they\nignore; a hook that does not hold there is a warning. Exits 1 when there are errors; with --strict also when there are\nwarnings.',
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
    load: () => import('./validate.ts'),
  },
  {
    name: 'hooks',
    args: '[DIR]',
    summary: 'Show the chain of each event, in the order it runs',
    about:
      'Prints the policy of DIR (default: here): for each event its hooks from first to last, one line each.',
    options: [
      { name: 'event', short: 'e', value: 'EVENT', about: 'Only the chain of this event' },
      JSON_OPTION,
    ],
    examples: ['harness hooks', 'harness hooks --event tool.pre --json'],
    load: () => import('./hooks.ts'),
  },
  {
    name: 'packs',
    args: '[ls|show] [NAME]',
    summary: 'List the packs of rules, or show one pack or rule',
    about:
      'ls lists the packs that ship and those this folder uses, with how they are in force here. show prints the rules of\na pack, or one rule, with what they stop, what they let pass and the safer way they name.',
    options: [
      { name: 'dir', short: 'd', value: 'DIR', about: 'Whose policy says what is in force (default: here)' },
      JSON_OPTION,
    ],
    examples: ['harness packs', 'harness packs show git', 'harness packs show core/disk-write --json'],
    load: () => import('./packs.ts'),
  },
  {
    name: 'explain',
    args: 'COMMAND|TAPE [SEQ]',
    summary: 'Tell how a command is read and judged, or why a recorded decision fell',
    about:
      'Reads COMMAND as the rules do and runs nothing: every program it starts, what each reads, writes and deletes, which\nrules look at it, which hold, and what an exception would change.\nWith TAPE and SEQ: the story of the decision that entry SEQ of the tape is part of, in the words of `decide --explain`.',
    options: [
      { name: 'dir', short: 'd', value: 'DIR', about: 'Whose policy says what is in force (default: here)' },
      { name: 'shell', value: 'NAME', about: 'The shell that runs it: bash, dash, zsh (default: any sh)' },
      JSON_OPTION,
    ],
    examples: [
      "harness explain 'git push --force'",
      "harness explain 'find . -delete' --json",
      'harness explain 4f1c 21',
    ],
    load: () => import('./explain-command.ts'),
  },
  {
    name: 'report',
    args: '[TAPES...]',
    summary: 'Say what the rules would have stopped of recorded runs',
    about:
      'Holds every tool call on TAPES (files, folders, a project; default: here) against the packs of rules in force, those\nin audit among them, and adds up by rule what they stop, with examples.',
    options: [
      { name: 'dir', short: 'd', value: 'DIR', about: 'Whose policy says what is in force (default: here)' },
      JSON_OPTION,
    ],
    examples: ['harness report', 'harness report .harness/runs --json'],
    load: () => import('./report.ts'),
  },
  {
    name: 'decide',
    args: 'EVENT',
    summary: 'Fire one event through the chain and print what it says',
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
    load: () => import('./decide.ts'),
  },
  {
    name: 'test',
    args: '[DIR]',
    summary: 'Run the tests that stand beside the hooks',
    about:
      'Runs every test of the policy of DIR (default: here): `tests:` in the front matter of hooks, where that hook answers\nalone, and .harness/tests/*.yaml, where the whole policy does; evals/testdata/*.yaml of AI Harness, with a scripted model or none. Clock, addresses, variables and programs are those the\ncase names; nothing else is reached. Exits 1 when a test fails, a file has errors, there is no test or all were skipped.',
    options: [
      {
        name: 'filter',
        short: 'f',
        value: 'TEXT',
        about: 'Only tests whose name, hook or file contains TEXT',
      },
      {
        name: 'coverage',
        about: 'Say which lines and decisions of hooks, and which rules of packs, the tests reach',
      },
      {
        name: 'tapes',
        value: 'PATH',
        about: 'And what the recorded runs of PATH reach, and what nothing looked at',
      },
      { name: 'lcov', value: 'FILE', about: 'Write the coverage as lcov' },
      { name: 'html', value: 'FILE', about: 'Write the coverage as a page' },
      { name: 'junit', value: 'FILE', about: 'Write the results as JUnit XML' },
      { name: 'update', short: 'u', about: 'Write golden files as the policy answers now' },
      { name: 'watch', short: 'w', about: 'Run again at every change, until interrupted' },
      JSON_OPTION,
    ],
    examples: [
      'harness test',
      'harness test --coverage --tapes .harness/runs',
      'harness test --filter command_guard --watch',
    ],
    load: () => import('./test.ts'),
  },
  {
    name: 'backtest',
    args: 'TAPE|DIR...',
    summary: 'What another policy would have done to recorded runs',
    about:
      'Decides every recorded event of the tapes once more with the policy of --policy, and says which decisions change, by class\nand by hook, with the calls and both reasons. Nothing runs but sandboxed hooks: what they read comes from the tapes, what\nthey keep is simulated for each session. First every tape must prove its own decisions. Exits 1 only with --fail-on.',
    options: [
      { name: 'policy', value: 'DIR', about: 'The candidate (default: the policy of this folder)' },
      { name: 'fail-on', value: 'CLASS,…', about: 'Exit 1 when a decision changes so: block->allow, any, …' },
      { name: 'since', value: 'TIME', about: 'Only decisions since a date, or a span such as 7d' },
      { name: 'jobs', value: 'N', about: 'Threads (default: one for each core)' },
      { name: 'resume', value: 'FILE', about: 'Keep what is done in FILE, and go on from it' },
      { name: 'no-self-check', about: 'Do not prove the tapes first' },
      { name: 'markdown', about: 'Print Markdown, for a pull request' },
      JSON_OPTION,
    ],
    examples: [
      'harness backtest .harness/runs',
      'harness backtest ~/runs --policy . --fail-on block->allow --since 7d',
      'harness backtest .harness/runs --policy ../candidate --markdown',
    ],
    load: () => import('./backtest.ts'),
  },
  {
    name: 'diff',
    args: 'OLD NEW',
    summary: 'Search for calls that two policies decide differently',
    about:
      'Tries calls on the policies of the folders OLD and NEW and shows those they decide differently, each as small as it could be\nmade, by class and hook, with both reasons. Tried are the examples of packs and tests, recorded calls with --tapes, calls made of\nthe words of the hooks themselves, and changes of all of these. The same seed tries the same calls. That nothing is found is no\nproof. Nothing runs but sandboxed hooks. Exits 1 when a difference is found.',
    options: [
      { name: 'seed', value: 'N', about: 'Which calls are made up (default: 1)' },
      { name: 'tries', value: 'N', about: 'How many calls are tried (default: 10000)' },
      { name: 'tapes', value: 'PATH', about: 'Try the calls of these tapes first' },
      JSON_OPTION,
    ],
    examples: [
      'harness diff ../main .',
      'harness diff ../main . --tries 100000 --seed 7 --tapes .harness/runs',
    ],
    load: () => import('./diff.ts'),
  },
  {
    name: 'import',
    args: 'AGENT [PATH]',
    summary: "Make tapes of an agent's own transcripts",
    about:
      'Reads the transcripts that AGENT (claude-code, codex or gemini) keeps of its sessions in this folder and writes a tape of\neach into .harness/imports: prompts, tool calls under canonical names, their results, and which calls a person refused.\nNothing is decided: every outcome is allow, and the tapes say that they were imported. PATH is a transcript or a folder of\nthem (default: where the agent keeps them). `harness backtest .harness/imports` then tries a policy on that work.',
    options: [
      { name: 'out', value: 'DIR', about: 'Where the tapes go (default: .harness/imports)' },
      { name: 'all', about: 'Sessions of every project, not only of this one' },
      JSON_OPTION,
    ],
    examples: ['harness import claude-code', 'harness import codex ~/.codex/sessions/2026 --out ../tapes'],
    load: () => import('./import.ts'),
  },
  {
    name: 'suggest',
    args: '[PATH]',
    summary: 'Propose rules from what people refused or undid',
    about:
      'Looks for calls that a person declined or broke off, and for edits that git restored later in the same session, on the tapes of PATH (default: .harness/imports and the runs here) and\nproposes a hook for each kind of them: the widest form that stops nothing that ran, or one that asks. Each comes with what it\nwould have done to the same tapes, and with its tests. Nothing is written.',
    options: [JSON_OPTION],
    examples: ['harness suggest', 'harness suggest .harness/imports --json'],
    load: () => import('./suggest.ts'),
  },
  {
    name: 'run',
    args: '[DIR]',
    summary: 'Run one session of the agent in DIR',
    about:
      'Runs the agent of DIR (default: here): its hooks, its tools, and the model that harness.md, --model or --script\nnames. What happens is shown as a timeline. The prompt is --prompt, or what is piped in; on a terminal without either\nit is a conversation: Enter sends, Alt-Enter begins another line, Ctrl-C stops an answer and, pressed twice, leaves;\n/help says the rest. Exits 1 when a prompt was blocked or did not come to a good end, 130 when it was cut off with\na second Ctrl-C.',
    options: [
      { name: 'prompt', short: 'p', value: 'TEXT', about: 'What the agent is asked; - is stdin' },
      { name: 'script', short: 's', value: 'FILE', about: 'Answer from a script instead of asking a model' },
      {
        name: 'model',
        short: 'm',
        value: 'NAME',
        about: 'anthropic/NAME, openai/NAME, or a name in harness.md',
      },
      { name: 'resume', value: 'ID', about: 'Go on with the session that begins so; last is the latest' },
      { name: 'continue', short: 'c', about: 'Go on with the latest session' },
      { ...ACTOR_OPTION, name: 'as' },
      { name: 'max-turns', value: 'N', about: 'Ask the model at most N times for a prompt' },
      ALLOW_EMPTY,
      { name: 'tape', value: 'FILE', about: 'Write the tape to FILE (default: in .harness/runs of DIR)' },
      SIGN,
      { name: 'json', about: 'Print every event and decision as JSON, one a line' },
    ],
    examples: [
      'harness run --prompt "Summarise the open issues"',
      'harness run ./agent --script story.yaml --json',
      'harness run --continue',
    ],
    load: () => import('./run.ts'),
  },
  {
    name: 'demo',
    args: '',
    summary: 'Watch a governed agent at work, offline',
    about:
      'Runs an example agent in a copy of its own: a scripted model that cuts corners, and the hooks that hold it. Needs\nno network and no key. The copy, the tape and the transcript stay,\nand the last lines say where.',
    options: [
      { name: 'sandbox', about: 'Attempts that the hooks let pass, and the sandbox they run in' },
      SIGN,
      { name: 'json', about: 'Print every event and decision as JSON, one a line' },
    ],
    examples: ['harness demo', 'harness demo --sandbox', `harness demo --json | grep '"outcome"'`],
    load: () => import('./demo.ts'),
  },
  {
    name: 'tape',
    args: 'ls|show|find|verify|stats|audit|export|prune|repair|keygen [PATH] [TEXT]',
    summary: 'Look at tapes, prove them, sum them up',
    about:
      'PATH is a tape, the beginning of its name, a folder of tapes, or a project, whose tapes are in .harness/runs (default: the\nproject here). ls lists sessions with their counts, the newest first. show prints one as a timeline, of several the newest;\n--seq tells the story of one decision. find lists the decisions of all of them that fit, or that hold TEXT. verify proves the\nchain, and with --key the signature, or names the first broken entry and exits 1; with --checkpoint it also finds tapes that are gone,\nshorter than they were, or other ones. stats adds up decisions, failures and times by hook and by day. audit lists every attempt\nto call a tool: who, for whom, what became of it, and where its entry stands in the chain. export writes all of it for other\nprograms. prune takes old tapes away and leaves on record what went; it only says so without\n--yes. repair ends a tape that was cut off. keygen writes a pair of keys: PATH and PATH.pub.',
    options: [
      { name: 'event', short: 'e', value: 'EVENT', about: 'show, find: only this event' },
      { name: 'hook', value: 'NAME', about: 'show, find: only decisions this hook had a say in; * is wild' },
      {
        name: 'decision',
        value: 'ACTION',
        about: 'show, find: only this outcome; with --hook, what that hook said',
      },
      { name: 'tool', value: 'NAME', about: 'show, find, audit: only this tool; * is wild' },
      { name: 'actor', value: 'ID', about: 'audit: only calls on behalf of this person; * is wild' },
      { name: 'tenant', value: 'NAME', about: 'audit: only calls for this tenant; * is wild' },
      {
        name: 'since',
        value: 'TIME',
        about: 'ls, find, audit, export: only from this date on, or from 7d, 12h ago',
      },
      { name: 'csv', about: 'audit: as CSV' },
      { name: 'jsonl', about: 'audit, export: as JSON, one row a line' },
      {
        name: 'otlp',
        value: 'URL',
        about: 'export: to an OpenTelemetry collector, as logs and traces over HTTP',
      },
      { name: 'content', about: 'export --otlp: arguments, results and reasons too, secrets taken out' },
      { name: 'html', about: 'audit: as a page' },
      { name: 'failures', about: 'show, find: only decisions in which a hook failed' },
      { name: 'limit', value: 'N', about: 'find: at most N decisions (default: 100)' },
      { name: 'fresh', about: 'find: read every tape, whatever the index beside them says' },
      { name: 'older', value: 'TIME', about: 'prune: tapes that ended before (default: 30d ago)' },
      { name: 'keep', value: 'blocked|none', about: 'prune: what stays however old (default: blocked)' },
      { name: 'max-size', value: 'SIZE', about: 'prune: the oldest too, until so much is left: 500MB' },
      { name: 'yes', about: 'prune: do it' },
      { name: 'seq', value: 'N', about: 'show: everything about the decision that entry N is part of' },
      { name: 'key', value: 'FILE', about: 'verify: the public key; repair: the private key to sign with' },
      {
        name: 'checkpoint',
        value: 'FILE',
        about:
          'verify: hold the tapes against FILE, which is made if it is not there, and then brought up to date',
      },
      { name: 'prometheus', about: 'stats: in the text format of Prometheus' },
      JSON_OPTION,
    ],
    examples: [
      'harness tape ls --since 7d',
      'harness tape find --decision block --since 7d',
      'harness tape find . "git push" --tool run_command',
      'harness tape show run.jsonl --tool run_command --decision block',
      'harness tape verify run.jsonl --key audit.pub --json',
      'harness tape stats .harness/runs --prometheus',
      'harness tape audit .harness/runs --tenant acme --since 7d --csv',
      'harness tape export .harness/runs --otlp http://localhost:4318',
    ],
    load: () => import('./tape.ts'),
  },
  {
    name: 'replay',
    args: 'TAPE',
    summary: 'Decide everything on a tape once more',
    about:
      'Fires every recorded event again, with the hooks of a project and with what they read from the tape. With the\nrecorded policy every decision, reason, effect, rewrite and step count comes out the same; the first that does not is\nshown with its context, and the exit code is 1. A policy that is not the recorded one is reported first. Hooks that were\ncode are stood in for by what they returned. TAPE may be the beginning of its name, or a\nproject: then the newest.',
    options: [
      {
        name: 'dir',
        short: 'd',
        value: 'DIR',
        about: 'The project (default: the one the tape is in, or here)',
      },
      { name: 'at', value: 'SEQ', about: 'End with entry SEQ, which still counts' },
      { name: 'recorded', about: 'Run no hook: what they returned drives the same control flow' },
      JSON_OPTION,
    ],
    examples: ['harness replay .harness/runs/4f1c.jsonl', 'harness replay run.jsonl --dir ./agent --json'],
    load: () => import('./replay.ts'),
  },
  {
    name: 'trust',
    args: '[DIR]',
    summary: 'Show what a folder asks for beyond the sandbox, and agree to it',
    about:
      'Lists the powers of DIR (default: here) and of the policy folders above it: programs that hooks run, with the files\nthey run, modules, tools that start programs, MCP servers, models with an address or key of their own, addresses that data\nis sent to, variables. What you agree to is kept with a digest in your own configuration; a power that changes is asked\nabout again, a changed rule is not. Exits 1 when something is not agreed to.',
    options: [{ name: 'yes', short: 'y', about: 'Agree without being asked' }, JSON_OPTION],
    examples: ['harness trust', 'harness trust ./agent --yes', 'harness trust --json'],
    load: () => import('./trust.ts'),
  },
  {
    name: 'untrust',
    args: '[DIR]',
    summary: 'Take back the trust in a folder',
    about: 'Forgets what was agreed to for DIR (default: here). Its sandboxed hooks hold on.',
    options: [JSON_OPTION],
    examples: ['harness untrust', 'harness untrust ./agent'],
    load: () => import('./untrust.ts'),
  },
  {
    name: 'install',
    args: 'AGENT...',
    summary: 'Make the policy of a folder hold in coding agents',
    about:
      'Registers the launcher with each AGENT, for a folder (default: here) or for everything the user does: one line an event,\nwhich answers also if the launcher is killed, hangs or is gone. Configuration that is there stays as it is, to the byte;\ninstalling twice changes nothing. Says what an agent cannot honour and what is left to you. AGENT is one of claude-code,\ncodex, gemini-cli, qwen-code, copilot, cline, opencode, pi, cursor, goose.\n`install mcp CLIENT` puts the MCP servers that the configuration of a client names behind `harness mcp`: CLIENT is one of\nclaude-code, claude-desktop, cursor, vscode, gemini-cli, codex.',
    options: [
      ...PLACE_OPTIONS,
      {
        name: 'native',
        about: 'Compile the native client and register it in front of the launcher; wants cc',
      },
      PRINT_OPTION,
      OBSERVE_OPTION,
      JSON_OPTION,
    ],
    examples: [
      'harness install claude-code codex',
      'harness install gemini-cli --user --print',
      'harness install mcp claude-code --print',
    ],
    load: () => import('./install.ts'),
  },
  {
    name: 'uninstall',
    args: 'AGENT...',
    summary: 'Take out of coding agents what install put in',
    about:
      'Takes the lines, trust entries and files of `install` out again. A file that was not edited since is as it was before,\nto the byte; in another one only our entries go.',
    options: [...PLACE_OPTIONS, PRINT_OPTION, JSON_OPTION],
    examples: [
      'harness uninstall claude-code',
      'harness uninstall codex --dir ~/projects/agent',
      'harness uninstall mcp claude-code',
    ],
    load: () => import('./uninstall.ts'),
  },
  {
    name: 'status',
    args: '[DIR]',
    summary: 'Show on one screen what is guarded here, and what is off',
    about:
      'Agents that are guarded in DIR (default: here) and for the user, the policy and its layers, the last decision on the\ntapes, and every guard that is off or may be: paused, not registered, not trusted, failing open, only watching. It looks at\nfiles only; `harness doctor` tries the guards.',
    options: [JSON_OPTION],
    examples: ['harness status', 'harness status ~/projects/agent --json'],
    load: () => import('./status.ts'),
  },
  {
    name: 'sandbox',
    args: 'PROGRAM [ARGUMENT...]',
    summary: 'Start a program or an installed agent inside a sandbox',
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
    load: () => import('./sandbox.ts'),
  },
  {
    name: 'doctor',
    args: '[AGENT...]',
    summary: 'Prove that the guards in coding agents are there and hold',
    about:
      'Looks at what is registered with each AGENT (default: all that are installed), here and for the user: is it there for\nevery event, is it trusted, is it switched off. Then sends a canary through the registered line for every event, and\nthrough copies of it whose launcher is missing or killed: each must refuse in the words of that agent. Sessions that the\nagent wrote down itself and that are on no tape are reported. No agent is started. Exits 1 if a guard is off.\nWith --watch it only compares transcripts with tapes, of all that is installed, and raises sessions as they begin.\nWith --live the agent itself is run, in namespaces of its own without a network, with a scratch copy of the policy and of what\nis registered, dummy keys and a scripted model that makes it call a tool. Green only if the tool did not run, the tape has the\nblock and the model read the reason. Nothing of the user is changed. Linux only. Exits 1 if that was not proved.',
    options: [
      ...PLACE_OPTIONS,
      { name: 'watch', short: 'w', about: 'Raise sessions that nobody judges, until it is interrupted' },
      { name: 'live', about: 'Run the agent itself against a scripted model, and see whether it is stopped' },
      JSON_OPTION,
    ],
    examples: [
      'harness doctor',
      'harness doctor codex --dir ~/projects/agent --json',
      'harness doctor --live claude-code',
    ],
    load: () => import('./doctor.ts'),
  },
  {
    name: 'pause',
    args: '',
    summary: 'Let agents work unguarded for a while, to get out of a lock-out',
    about:
      'For a person at a terminal only: not in a script, not in the shell of an agent. The pause is written down with its\nreason, shown by status, doctor and every call that passes, and over by itself. A managed policy is not paused.',
    options: [
      { name: 'for', value: 'TIME', about: 'How long: 30s, 10m, 2h; at most 8h' },
      { name: 'reason', value: 'TEXT', about: 'Why; it is written down' },
      { name: 'off', about: 'End the pause now' },
      JSON_OPTION,
    ],
    examples: ['harness pause --for 10m --reason "the policy blocks its own repair"', 'harness pause --off'],
    load: () => import('./pause.ts'),
  },
  {
    name: 'approvals',
    args: '[ls|show|allow|deny|withdraw|stats|answer] [ID]',
    summary: 'Answer what agents wait to be allowed',
    about:
      'Every ask of every agent of this user is one question here, with the whole call and the rule that asks. To answer is for a\nperson at a terminal: not in a script, not in the shell of an agent. A yes is for exactly this call: once, for its session, or\nin its folder until a date. The first answer counts. `stats` shows how often each rule asks and is approved; `answer` takes\na signed answer from a file or stdin. With --watch, questions are asked as they come, and agents wait for the answer.',
    options: [
      { name: 'session', about: 'allow: the same call for the rest of its session' },
      { name: 'folder', about: 'allow: the same call in this folder, together with --until' },
      { name: 'until', value: 'DATE', about: 'allow --folder: a date, or 2h or 7d; at most 90 days' },
      { name: 'reason', value: 'TEXT', about: 'deny: why; the agent is told' },
      { name: 'yes', short: 'y', about: 'allow: do not ask again' },
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
    load: () => import('./approvals.ts'),
  },
  {
    name: 'daemon',
    args: 'start|stop|status|serve',
    summary: 'Keep policies warm for the launcher',
    about:
      "One process a user that has policies open and decides in the launcher's place, by the same rules and onto the same tapes. It\nlistens on a socket that only its owner can reach. It is never needed: if it is missing, stopped, slow, full or of another\nbuild, the launcher decides by itself. `start` begins it and waits until it answers, `stop` ends it, `status` says how it is;\n`serve` is the process itself, for a service manager. It ends by itself when nothing was asked for a while. With\n`daemon: on-demand` in the user's harness.md the launcher starts it when it finds none.",
    options: [
      {
        name: 'idle',
        value: 'TIME',
        about: 'End after so long without a question (default: 10m; never with --http)',
      },
      {
        name: 'http',
        value: 'PORT',
        about: 'Answer on this port of 127.0.0.1 too, to whoever sends the token; 0 for any',
      },
      {
        name: 'beat',
        value: 'TIME',
        about: 'Compare transcripts of agents with tapes so often (default: 5m)',
      },
      JSON_OPTION,
    ],
    examples: ['harness daemon start', 'harness daemon start --idle 2h', 'harness daemon status --json'],
    load: () => import('./daemon.ts'),
  },
  {
    name: 'hook',
    args: 'AGENT [EVENT]',
    summary: 'Answer one event of a coding agent',
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
    ],
    examples: [`harness hook claude-code PreToolUse --dir . < payload.json`],
    load: () => import('./hook.ts'),
  },
  {
    name: 'mcp',
    args: '[lock|diff] [CMD...]',
    summary: 'Put the policy in front of an MCP server',
    about:
      'Starts the MCP server CMD, or reaches the one at --http, and stands between it and the client that starts this: calls, resources, prompts and what the\nserver asks of the client are judged by the policy of --dir, and every result before the model reads it. The definitions of\ntools are pinned in .harness/mcp.lock when they are first seen. `mcp lock` pins them anew, `mcp diff` says what has changed.\nWrite -- before a command that has options of its own.',
    options: [
      {
        name: 'name',
        short: 'n',
        value: 'NAME',
        about: 'Name of the server in policies: mcp__NAME__TOOL (default: from CMD)',
      },
      {
        name: 'dir',
        short: 'd',
        value: 'DIR',
        about: 'Where to look for policy, and upwards from there (default: here)',
      },
      {
        name: 'http',
        value: 'URL',
        about: 'The server is behind HTTP: https anywhere, http on this machine only',
      },
      {
        name: 'header-env',
        value: 'NAME=VARIABLE,...',
        about: 'Headers for that server, their values from the environment: Authorization=TOKEN',
      },
      {
        name: 'listen',
        value: '[HOST:]PORT',
        about: 'Clients speak HTTP with it instead of standard input and output (default HOST: 127.0.0.1)',
      },
      {
        name: 'allow-host',
        value: 'NAME,...',
        about: 'With --listen: other names than those of this machine that Host and Origin may have',
      },
      {
        name: 'token-env',
        value: 'VARIABLE',
        about: 'With --listen: what clients must send in the header Harness-Token; needed beyond loopback',
      },
      {
        name: 'on-change',
        value: 'hide|ask',
        about: 'What becomes of a tool that is not the pinned one (default: hide)',
      },
      { ...ACTOR_OPTION, name: 'as' },
      ALLOW_EMPTY,
      SIGN,
      JSON_OPTION,
    ],
    examples: [
      'harness mcp --name files -- npx -y @modelcontextprotocol/server-filesystem .',
      'harness mcp diff --name files -- npx -y @modelcontextprotocol/server-filesystem .',
      'harness mcp --name tickets --http https://mcp.example.com/mcp --header-env Authorization=TICKETS_TOKEN',
    ],
    load: () => import('./mcp.ts'),
  },
  {
    name: 'ui',
    args: '',
    summary: 'Open the page: runs, decisions and policy in a browser',
    about:
      'Serves a page over the tapes and the policy of --dir, on loopback, until it is interrupted. Prints its link, which holds\nthe key to it, and opens it if it is on a terminal. Nothing is fetched from anywhere else.',
    options: [
      { name: 'port', short: 'p', value: 'N', about: 'Listen on this port (default: a free one)' },
      {
        name: 'dir',
        short: 'd',
        value: 'DIR',
        about: 'The project: its policy and its runs (default: here)',
      },
      { name: 'runs', value: 'PATH', about: 'Show the tapes of this folder, or this tape, instead' },
      { name: 'no-open', about: 'Do not open a browser' },
      { name: 'read-only', about: 'Nothing can be answered or saved from the page' },
      { name: 'host', value: 'ADDRESS', about: 'Listen beyond loopback; needs --key' },
      { name: 'key', value: 'FILE', about: 'The key in the link, at least 24 characters; needs --host' },
      { name: 'json', about: 'Print the link as JSON' },
    ],
    examples: ['harness ui', 'harness ui --dir ~/projects/agent --port 4000 --no-open'],
    load: () => import('./ui.ts'),
  },
  {
    name: 'model',
    args: '',
    summary: 'Serve a scripted model, for testing agents offline',
    about:
      'Answers Anthropic Messages, OpenAI Chat Completions and Responses, and Gemini requests on loopback from a script, the\nsame file that run --script takes. Prints one line a request, and at the end the items of the script that nothing asked\nfor. Runs until it is interrupted.',
    options: [
      { name: 'script', short: 's', value: 'FILE', about: 'The script; - is stdin. Required' },
      { name: 'port', short: 'p', value: 'N', about: 'Listen on this port (default: a free one)' },
      {
        name: 'record',
        value: 'FILE',
        about: 'Append every request to FILE as a line of JSON, without keys',
      },
      { name: 'json', about: 'Print the address and every request as JSON, one a line' },
    ],
    examples: [
      'harness model --script story.yaml --port 8089',
      'harness model --script story.yaml --record requests.jsonl --json',
    ],
    load: () => import('./model.ts'),
  },
  {
    name: 'fmt',
    args: '[PATH...]',
    summary: 'Write scripts and front matter in one form',
    about:
      'Formats .star files, and the scripts and front matter of hooks, tools, agents and bundles. PATH is a file or a folder\n(default: here); in a folder only files of a policy are looked at. Comments stay, and what a file means stays as it is: both\ntexts are parsed and compared. A file that cannot be understood is left alone, named, and makes the command exit 1.',
    options: [
      { name: 'check', about: 'Change nothing; exit 1 if a file is not in form' },
      { name: 'diff', about: 'Change nothing; print what would change' },
      JSON_OPTION,
    ],
    examples: ['harness fmt', 'harness fmt --check', 'harness fmt --diff .harness/hooks/guard.md'],
    load: () => import('./fmt.ts'),
  },
  {
    name: 'lsp',
    args: '',
    summary: 'Serve an editor: the language server for hooks and .star files',
    about:
      'Speaks the Language Server Protocol on stdin and stdout: diagnostics as validate gives them, on what is typed, completion,\nhover, definition, rename, quick fixes, formatting, and a lens that decides with the last recorded payload. docs/editors.md has\nthe lines for VS Code, Neovim, Zed and Helix.',
    options: [{ name: 'stdio', about: 'Accepted, because many editors pass it: there is no other way' }],
    examples: ['harness lsp'],
    load: () => import('./lsp.ts'),
  },
  {
    name: 'starlark',
    args: '[FILE...]',
    summary: 'Run Starlark: files, a line, or a prompt',
    about:
      'Runs each FILE as a Starlark module; - is stdin. print() goes to stdout. An error prints its traceback to\nstderr and exits 1. load() finds files beside the one that loads them.\n-i is a prompt with the built-ins of a hook, and event and payload of a call: made up, given with --payload, or recorded with\n--tape ID SEQ. It works in a pipe too; :help says what there is.',
    options: [
      { name: 'interactive', short: 'i', about: 'Read and answer line by line' },
      { name: 'code', short: 'c', value: 'CODE', about: 'Run CODE' },
      { name: 'event', short: 'e', value: 'EVENT', about: 'With -i: the event (default: tool.pre)' },
      { name: 'payload', short: 'p', value: 'FILE|JSON', about: 'With -i: the payload' },
      { name: 'tape', value: 'ID', about: 'With -i and a number: the payload of that entry of a tape' },
      { name: 'recursion', about: 'Let functions call themselves' },
      { name: 'while', about: 'Allow while loops' },
      { name: 'global-reassign', about: 'Let a global be bound again' },
      { name: 'top-level-control', about: 'Allow if, for and while outside functions' },
      { name: 'backend', value: 'NAME', about: 'js (generated code, the default) or closures' },
      { name: 'steps', value: 'N', about: 'End a run after N steps' },
    ],
    examples: [
      'harness starlark policy.star',
      'harness starlark -i --event turn.start',
      'harness starlark -i --tape 4f1c 12',
      'harness starlark --while --steps 100000 loop.star',
    ],
    load: () => import('./starlark.ts'),
  },
  {
    name: 'completion',
    args: 'bash|zsh|fish',
    summary: 'Print a script that completes commands and options',
    about:
      'Prints the completion of a shell. bash: source <(harness completion bash). zsh: a file _harness in a folder of\n$fpath. fish: ~/.config/fish/completions/harness.fish.',
    options: [],
    examples: [
      'harness completion bash',
      'harness completion fish > ~/.config/fish/completions/harness.fish',
    ],
    load: () => import('./completion.ts'),
  },
];
