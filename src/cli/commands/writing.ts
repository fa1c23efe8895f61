/** Commands for writing hooks by hand: format, editor, prompt, shell completion. */
import type { CommandSpec } from '../../terminal/index.ts';
import { JSON_OPTION } from '../common-options.ts';

export const WRITING_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'fmt',
    args: '[PATH...]',
    summary: 'Format scripts and front matter',
    about:
      'Formats .star files, and the scripts and front matter of hooks, tools, agents and bundles. PATH is a file or a folder\n(default: here); in a folder only files of a policy are looked at. Comments stay, and what a file means stays as it is: both\ntexts are parsed and compared. A file that cannot be understood is left alone, named, and makes the command exit 1.',
    options: [
      { name: 'check', about: 'Change nothing; exit 1 if a file is not in form' },
      { name: 'diff', about: 'Change nothing; print what would change' },
      JSON_OPTION,
    ],
    examples: ['harness fmt', 'harness fmt --check', 'harness fmt --diff .harness/hooks/guard.md'],
    load: () => import('../fmt.ts'),
  },
  {
    name: 'lsp',
    args: '',
    summary: 'Start the language server for editors',
    about:
      'Speaks the Language Server Protocol on stdin and stdout: diagnostics as validate gives them, on what is typed, completion,\nhover, definition, rename, quick fixes, formatting, and a lens that decides with the last recorded payload. docs/editors.md has\nthe lines for VS Code, Neovim, Zed and Helix.',
    options: [{ name: 'stdio', about: 'Accepted, because many editors pass it: there is no other way' }],
    examples: ['harness lsp'],
    load: () => import('../lsp.ts'),
  },
  {
    name: 'starlark',
    args: '[FILE...]',
    summary: 'Run Starlark: files, one line, or a prompt',
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
    load: () => import('../starlark.ts'),
  },
  {
    name: 'completion',
    args: 'bash|zsh|fish',
    summary: 'Print a shell script that completes commands and options',
    about:
      'Prints the completion of a shell. bash: source <(harness completion bash). zsh: a file _harness in a folder of\n$fpath. fish: ~/.config/fish/completions/harness.fish.',
    options: [],
    examples: [
      'harness completion bash',
      'harness completion fish > ~/.config/fish/completions/harness.fish',
    ],
    load: () => import('../completion.ts'),
  },
];
