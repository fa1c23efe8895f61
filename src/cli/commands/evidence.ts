/** Commands that try a policy, on tests and on recorded runs. */
import type { CommandSpec } from '../../terminal/index.ts';
import { JSON_OPTION } from '../common-options.ts';

export const EVIDENCE_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'test',
    args: '[DIR]',
    summary: 'Run the tests of a policy',
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
    load: () => import('../test.ts'),
  },
  {
    name: 'backtest',
    args: 'TAPE|DIR...',
    summary: 'Compare decisions of a changed policy with recorded sessions',
    about:
      'Decides every recorded event of the tapes once more with the policy of --policy, and says which decisions change, by class\nand by hook, with the calls and both reasons. Nothing runs but sandboxed hooks: what they read comes from the tapes, what\nthey keep is simulated for each session. First every tape must prove its own decisions. Exits 1 only with --fail-on,\nthen also if a tape is not proven or no decision could be compared.',
    options: [
      { name: 'policy', value: 'DIR', about: 'The candidate (default: the policy of this folder)' },
      { name: 'fail-on', value: 'CLASS,…', about: 'Exit 1 when a decision changes so: block->allow, any, …' },
      { name: 'since', value: 'TIME', about: 'Only decisions since a date, or a span such as 7d' },
      { name: 'jobs', value: 'N', about: 'Threads (default: one for each core, if there is enough to read)' },
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
    load: () => import('../backtest.ts'),
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
    load: () => import('../diff.ts'),
  },
  {
    name: 'import',
    args: 'AGENT [PATH]',
    summary: "Make tapes from a coding agent's own transcripts",
    about:
      'Reads the transcripts that AGENT (claude-code, codex or gemini-cli) keeps of its sessions in this folder and writes a tape of\neach into .harness/imports: prompts, tool calls under canonical names, their results, and which calls a person refused.\nNothing is decided: every outcome is allow, and the tapes say that they were imported. PATH is a transcript or a folder of\nthem (default: where the agent keeps them). `harness backtest .harness/imports` then tries a policy on that work.',
    options: [
      { name: 'out', value: 'DIR', about: 'Where the tapes go (default: .harness/imports)' },
      { name: 'all', about: 'Sessions of every project, not only of this one' },
      JSON_OPTION,
    ],
    examples: ['harness import claude-code', 'harness import codex ~/.codex/sessions/2026 --out ../tapes'],
    load: () => import('../import.ts'),
  },
  {
    name: 'suggest',
    args: '[PATH]',
    summary: 'Propose rules from what people refused or undid',
    about:
      'Looks for calls that a person declined or broke off, and for edits that git restored later in the same session, on the tapes of PATH (default: .harness/imports and the runs here) and\nproposes a hook for each kind of them: the widest form that stops nothing that ran, or one that asks. Each comes with what it\nwould have done to the same tapes, and with its tests. Nothing is written.',
    options: [JSON_OPTION],
    examples: ['harness suggest', 'harness suggest .harness/imports --json'],
    load: () => import('../suggest.ts'),
  },
];
