/** Commands that serve: tool servers, the page, a scripted model. */
import type { CommandSpec } from '../../terminal/index.ts';
import { ACTOR_OPTION, ALLOW_EMPTY, JSON_OPTION, SIGN } from '../common-options.ts';

export const SERVERS_COMMANDS: readonly CommandSpec[] = [
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
    load: () => import('../mcp.ts'),
  },
  {
    name: 'ui',
    args: '',
    summary: 'Open the page: sessions, decisions and policy in a browser',
    about:
      'A page over the tapes and the policy of --dir, on loopback: served by the daemon if one runs, else by this command until it is\ninterrupted. Prints its link, which holds the key to it, and opens it if it is on a terminal. Nothing is fetched from anywhere\nelse. With --port or --host it is always served by this command.',
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
    load: () => import('../ui.ts'),
  },
  {
    name: 'model',
    args: '',
    summary: 'Serve a scripted model, to test agents offline',
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
    load: () => import('../model.ts'),
  },
];
