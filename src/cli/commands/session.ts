/** Commands that run an agent, and those that read what it did. */
import type { CommandSpec } from '../../terminal/index.ts';
import { ACTOR_OPTION, ALLOW_EMPTY, JSON_OPTION, SIGN } from '../common-options.ts';

export const SESSION_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'run',
    args: '[DIR]',
    summary: 'Run the built-in agent under the policy of a folder',
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
    load: () => import('../run.ts'),
  },
  {
    name: 'demo',
    args: '[DIR]',
    summary: 'Watch a governed agent at work, offline',
    about:
      'Runs an example agent: a scripted model that cuts corners, and the hooks that stop it. Needs no network and no key. It works in a temporary copy and leaves nothing behind; with DIR the copy, the tape and the transcript are written there and stay.',
    options: [
      { name: 'sandbox', about: 'Attempts that the hooks let pass, and the sandbox they run in' },
      SIGN,
      { name: 'json', about: 'Print every event and decision as JSON, one a line' },
    ],
    examples: [
      'harness demo',
      'harness demo my-demo',
      'harness demo --sandbox',
      `harness demo --json | grep '"outcome"'`,
    ],
    load: () => import('../demo.ts'),
  },
  {
    name: 'tape',
    args: 'ls|show|find|verify|stats|audit|export|prune|repair|keygen [PATH] [TEXT]',
    summary: 'List, show, search, verify and export recorded sessions',
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
      { name: 'fresh', about: 'ls, find: read every tape, whatever the index beside them says' },
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
    load: () => import('../tape.ts'),
  },
  {
    name: 'replay',
    args: 'TAPE',
    summary: 'Decide a recorded session again and compare',
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
    load: () => import('../replay.ts'),
  },
];
