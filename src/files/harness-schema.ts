/**
 * Every field of `harness.md`: what a policy says about itself, and the settings of an agent.
 */
import {
  anything,
  described,
  either,
  flag,
  list,
  map,
  mapOf,
  number,
  oneOf,
  optional,
  strictMap,
  type TypeOf,
  text,
  texts,
} from '../base/index.ts';
import { SOURCES } from '../flow/index.ts';
import { SANDBOX } from '../machine/index.ts';
import { CONTEXT, count, HOOKS, LISTED_TOOLS, milliseconds, nonNegative } from './artifact-schema.ts';

const oneOrMore = (doc: string) => either(doc, text(''), texts(''));

export const PROVIDERS = ['openai', 'anthropic', 'copilot'] as const;

/** What `provider: copilot` stands for: another address and another key of the protocol of openai. */
export const COPILOT = { baseUrl: 'https://api.githubcopilot.com', apiKeyEnv: 'GITHUB_TOKEN' } as const;

const NAMED_MODEL = {
  name: text('`anthropic/…`, `openai/…` or `scripted:FILE`; with `provider`, the bare name.'),
  provider: optional(oneOf('Who serves it.', PROVIDERS), 'as `name` says, else openai'),
  temperature: optional(anything('Not used here.', { ignored: 'the provider decides it' })),
  retry: optional(
    map('Attempts at one completion of this model.', {
      max_retries: optional(nonNegative('Attempts after the first.', 1000)),
      initial_backoff_ms: optional(milliseconds('The first wait.')),
      max_backoff_ms: optional(milliseconds('The longest wait.')),
      multiplier: optional(anything('Not used here.', { ignored: 'each wait is twice the last' })),
    }),
  ),
  base_url: optional(text('Where the service is.'), 'that of the provider'),
  api_key_env: optional(text('The environment variable that holds the key.'), 'that of the provider'),
  max_tokens: optional(count('The most tokens one completion may have.')),
  stream: optional(flag('Whether text arrives piece by piece.'), 'true'),
};

const MODEL = either('', text(''), map('', NAMED_MODEL));

export type WrittenModel = TypeOf<typeof MODEL>;

export const DAEMON_STARTS = ['on-demand', 'off'] as const;

/** From the loosest to the strictest. */
export const HIDDEN_TEXT = ['pass', 'reveal', 'block'] as const;
export type HiddenText = (typeof HIDDEN_TEXT)[number];

/** From the most that is kept to the least. */
export const TAPE_PAYLOADS = ['full', 'redacted', 'digest'] as const;
export type TapePayloads = (typeof TAPE_PAYLOADS)[number];

export const EXIT_MODES = ['natural', 'done_tool', 'hook', 'hybrid'] as const;

const zone = (doc: string) => oneOf(doc, ['auto', 'ask', 'never']);

// A field that is misspelt could be the one that forbids: what is not understood here is no table.
const PERMISSIONS = strictMap('Which calls run by themselves, which wait for a person, which never run.', {
  scopes: optional(
    oneOf(
      'With `enforce`, a tool that states `scopes` runs only for a caller that has all of them: those of the person, of the agents above it and of its task.',
      ['enforce', 'ignore'],
    ),
    'ignore',
  ),
  default: optional(zone('The zone of calls that no rule fits.'), 'auto'),
  rules: optional(
    list(
      'The first rule that fits a call decides its zone.',
      strictMap('', {
        tools: oneOrMore('Globs over tool names.'),
        args: optional(
          mapOf('By argument (dotted for one inside another): globs of which one must match.', oneOrMore('')),
          'any arguments',
        ),
        zone: zone('`auto` runs, `ask` waits for a person, `never` is denied.'),
        reason: optional(text('Told to the person, or to the model.')),
      }),
    ),
    'none',
  ),
  policies: optional(
    list(
      'Guards over command lines, beside the rules: the stricter of the two counts.',
      strictMap('', {
        kind: optional(oneOf('What it reads: a command line.', ['shell']), 'shell'),
        tools: oneOrMore('Globs over the tools that take one.'),
        argument: optional(text('The argument that holds it.'), 'command'),
        deny_patterns: optional(texts('RE2 patterns; a line that has one never runs.'), 'none'),
        allow_prefixes: optional(
          texts('Words a command may begin with. Every command of a line must, or `otherwise` decides.'),
          'none',
        ),
        otherwise: optional(zone('The zone of lines that are not allowed by a prefix.'), 'ask'),
      }),
    ),
    'none',
  ),
});

export type WrittenPermissions = TypeOf<typeof PERMISSIONS>;

const MCP_SERVER = map('', {
  command: optional(text('The program that speaks MCP on stdin and stdout.')),
  args: optional(texts('Its arguments.'), 'none'),
  env: optional(
    mapOf(`Variables for it; \`\${NAME}\` stands for a variable of your own environment.`, text('')),
    'none',
  ),
  cwd: optional(text('Where it runs.'), 'the workspace'),
  url: optional(text('The address of a server that speaks MCP over HTTP.')),
  headers: optional(mapOf(`Headers for it; \`\${NAME}\` as in \`env\`.`, text('')), 'none'),
});

const USE_VALUE = either(
  '',
  oneOf('', ['off', 'audit', 'ask', 'enforce']),
  flag(''),
  strictMap('', {
    mode: optional(oneOf('How it is in force.', ['off', 'audit', 'ask', 'enforce']), 'enforce'),
    digest: optional(text('Of a pack from elsewhere: `sha256:…`, as `validate` says it.')),
  }),
);

const USE = either(
  'Packs of rules that are in force, each `enforce`, `ask`, `audit` or `off`; `pack/rule` for one rule. A folder (`./packs`) or an npm package (`npm:name`) with its digest.',
  mapOf('', USE_VALUE),
  list('', either('', text(''), mapOf('', USE_VALUE))),
);
export type WrittenUse = TypeOf<typeof USE>;

const EXCEPTION = strictMap('', {
  rule: text('The rule, `core/delete-project`, or a whole pack.'),
  folder: optional(text('Only for commands that run in this folder.'), 'everywhere'),
  expires: optional(text('The last day it holds: `2026-12-31`.'), 'never'),
  reason: text('Why.', { blank: false }),
});
export type WrittenException = TypeOf<typeof EXCEPTION>;

export const DELEGATION = map('Limits of sub-agents.', {
  max_depth: optional(nonNegative('Agents inside one another.', 8)),
  max_iterations: optional(list('Completions of sub-agents at each depth.', count(''))),
  iterations_per_depth: optional(
    list(
      'Like `max_iterations`, with one number more in front: that of the agent itself, which stands for `limits.max_turns`.',
      count(''),
    ),
  ),
  max_concurrent: optional(count('Sub-agents of one agent that work at the same time.'), 'no limit'),
  tool_retries: optional(nonNegative('Failures of one tool in a row.', 100)),
  verify_retries: optional(nonNegative('Times work is sent back.', 100)),
});
export type WrittenDelegation = TypeOf<typeof DELEGATION>;

export const HARNESS_FIELDS = {
  hooks: HOOKS,
  strict: optional(
    flag(
      'Whatever is not a clean answer blocks, on every event that can be blocked: a condition that raises, an answer that is no decision, a hook of any kind that failed or timed out. In one layer it holds for the whole policy.',
    ),
    'false',
  ),
  requires: optional(
    text(
      'The oldest version of Harness that may decide with this policy: `>=0.3`. An older one blocks every call.',
    ),
    'any version',
  ),
  use: optional(USE, 'none'),
  exceptions: optional(
    list('Exceptions from rules of packs; they count for this layer and those below it.', EXCEPTION),
    'none',
  ),
  observe: optional(
    flag('Hooks and packs of this folder only record what they would have done. `harness report` shows it.'),
    'false',
  ),
  // What limits or records is strict: of a field that is misspelt nobody knows what it should have stopped.
  network: optional(
    strictMap('What scripts may reach over HTTP.', {
      allowed_domains: optional(
        texts(
          'Hosts scripts may reach: `example.com` (and its sub-domains), `*.example.com` (sub-domains only), an IP address, `*`.',
        ),
        'hooks reach no host, tools any',
      ),
    }),
  ),
  data: optional(
    strictMap('Tables that hooks read as `data.NAME`, beside those of `.harness/data`.', {
      tables: optional(
        mapOf(
          'Tables that are fetched from a host of `network.allowed_domains`, by name.',
          strictMap('', {
            url: text(
              'Where the table is: https, or http on this machine. `{key}` stands for the value of `key`.',
            ),
            ttl: optional(text('How long an answer counts: `30s`, `10m`.'), '1m'),
            key: optional(
              oneOf('The table is one for each value that the actor has here.', [
                'id',
                'email',
                'tenant',
                'tier',
              ]),
              'one table for all',
            ),
            format: optional(
              oneOf('How it is written.', ['json', 'yaml', 'csv']),
              'as the path of `url` ends, else json',
            ),
            token_env: optional(
              text(
                'The environment variable whose value is sent as a bearer token. In a project, one that `environment.name` of the user lists.',
              ),
              'none',
            ),
            unavailable: optional(
              either(
                'What it means for hooks that read it that there is none: `block`, `allow`, or `stale 10m`, so much longer than `ttl` the last answer counts. With `key`, a map by its values; `"*"` for all others.',
                text(''),
                mapOf('', text('')),
              ),
              'the hook has failed; under `strict`, block',
            ),
          }),
        ),
        'none',
      ),
    }),
    'none',
  ),
  sources: optional(SOURCES, 'what comes from outside the workspace is untrusted'),
  hidden_text: optional(
    oneOf(
      "What becomes of characters in results of tools that a model reads and a person does not see: `reveal` names them in their place, `block` hides the result, `pass` leaves them (the user's and the managed layer only). Of several layers the stricter word counts.",
      HIDDEN_TEXT,
    ),
    'reveal',
  ),
  sandbox: optional(SANDBOX, 'programs run with the rights of the account that started Harness'),
  environment: optional(
    strictMap(
      "What the variables of your environment may be used for. Counts in the user's and the managed layer only.",
      {
        pass: optional(
          texts(
            'Variables that programs started by hooks, tools and MCP servers are given too: `NAME` or `PREFIX_*`.',
          ),
          'the usual ones, such as PATH, HOME, LANG and TMPDIR',
        ),
        name: optional(
          texts(
            `Variables that projects may name with \`api_key_env\`, \`token_env\` and \`\${NAME}\`: \`NAME\` or \`PREFIX_*\`.`,
          ),
          'the keys of known model services',
        ),
      },
    ),
    'programs get the usual variables, projects may name model keys',
  ),
  tape: optional(
    strictMap('How runs are recorded. Of several layers the stricter word counts.', {
      payloads: optional(
        oneOf(
          "What is kept of payloads, results and what hooks read: `full` as they are, secrets included (the user's and the managed layer only); `redacted` without secrets; `digest` their digests alone, so that nothing can be replayed.",
          TAPE_PAYLOADS,
        ),
        'redacted',
      ),
      sync: optional(
        flag('The disk has an entry before the run goes on, so that it survives the loss of power.'),
        'false: it survives the end of the process',
      ),
      key: optional(
        text(
          "The private key that tapes are signed with, relative to this file's folder. The user's and the managed layer only.",
        ),
        'tapes are not signed',
      ),
    }),
    'without secrets, written at once, not signed',
  ),
  approvals: optional(
    strictMap(
      "Where people are asked beside the terminal. Counts in the user's and the managed layer only.",
      {
        webhook: optional(
          text(
            'The address each question is posted to, without secrets; https, or http on this machine. Its answer counts if it is signed.',
          ),
          'elsewhere no person is asked',
        ),
        key: optional(
          text(
            "The file of the key that answers are signed with, relative to this file's folder: an ed25519 public key (PEM), or a secret of at least 32 characters for HMAC-SHA256.",
          ),
          'no answer counts',
        ),
      },
    ),
    'at the terminal, in the queue and by the agent itself',
  ),
  daemon: optional(
    oneOf(
      "Whether the launcher starts the daemon when it finds none: `on-demand` or `off`. Counts in the user's and the managed layer only.",
      DAEMON_STARTS,
    ),
    'on-demand',
  ),
  model: optional(
    described(
      MODEL,
      'The model of the agent: `anthropic/…`, `openai/…`, `scripted:FILE`, a name of `models`, or a map with its settings.',
    ),
  ),
  models: optional(
    either(
      'Models by a name of your own, or a list: then each is known by its `name`, and the first one is `model` if none is given.',
      mapOf('', MODEL),
      list('', map('', NAMED_MODEL)),
    ),
    'none',
  ),
  context: CONTEXT,
  tools: LISTED_TOOLS,
  tools_policy: optional(
    strictMap('Which tools the model is offered.', {
      mode: optional(
        oneOf('Whether a tool that no pattern names is offered.', ['allowlist', 'denylist']),
        '`allowlist` where `allow` lists something, else `denylist`',
      ),
      allow: optional(texts('Globs over tool names.'), 'none'),
      deny: optional(texts('Globs over tool names; deny beats allow.'), 'none'),
    }),
    'every tool is offered',
  ),
  permissions: optional(PERMISSIONS, 'every call runs by itself'),
  mcp_servers: optional(
    mapOf('MCP servers by name. Their tools are offered as `server__tool`.', MCP_SERVER),
    'none',
  ),
  compaction: optional(
    map('When and how the conversation is shortened.', {
      max_tokens: count('From this size on, the conversation is shortened before the next request.'),
      keep_turns: optional(count('Round trips at the end that stay as they are.'), '4'),
      summary: optional(
        oneOf('Who writes the summary: nobody, from a line for each thing done, or the model.', [
          'digest',
          'model',
        ]),
        'digest',
      ),
    }),
    'never',
  ),
  limits: optional(
    strictMap('Where a session ends whatever the model does.', {
      max_turns: optional(count('Round trips to the model for one prompt.'), '50'),
      max_tokens: optional(count('Tokens of a session, in and out.'), 'none'),
      max_cost_usd: optional(
        number('What a session may cost, as far as the provider knows.', { min: 0.0001, max: 1e9 }),
        'none',
      ),
      max_time_ms: optional(milliseconds('How long one prompt may take.'), 'none'),
      completion_timeout_ms: optional(
        milliseconds('How long one attempt at a completion may take.'),
        '600000',
      ),
      max_attempts: optional(count('Attempts at one completion.'), '4'),
      tool_timeout_ms: optional(
        milliseconds('How long a tool without a limit of its own may take.'),
        '120000',
      ),
      tool_result_chars: optional(count('How much of a result the model is shown.'), '100000'),
      approval_timeout_ms: optional(milliseconds('How long a person has to answer.'), '1800000'),
      parallel_tools: optional(count('Tool calls that run side by side.'), '16'),
    }),
    'those of the session',
  ),
  delegation: optional(DELEGATION),
  exit_policy: optional(
    map('When an agent may stop.', {
      mode: optional(
        oneOf(
          '`natural`: when the model stops, asking `agent.stop` hooks. `hook`: the same. `done_tool` and `hybrid`: only after the model has called the `done` tool.',
          EXIT_MODES,
        ),
        'natural',
      ),
      max_iterations: optional(count('The same as `limits.max_turns`.')),
      on_max_iterations: optional(
        oneOf('Whether to end there with `max_turns`, or with an error as well.', ['stop', 'error']),
        'stop',
      ),
      max_continuations: optional(nonNegative('How often a stop may be sent back.', 1000), '3'),
    }),
  ),
  meta: optional(
    map(
      'What an agent may add to itself, with `meta.register_tool`, `meta.register_hook` and `meta.register_agent`.',
      {
        enabled: optional(flag('Whether it may at all.'), 'true'),
        max_tools: optional(nonNegative('Tools.', 1000), '50'),
        max_hooks: optional(nonNegative('Hooks.', 1000), '30'),
        max_agents: optional(nonNegative('Sub-agents.', 1000), '10'),
        max_call_depth: optional(anything('Not used here.', { ignored: 'tools call tools at most 5 deep' })),
      },
    ),
    'nothing',
  ),
  serve: optional(anything('Server settings.')),
  trusted_sources: optional(anything('Where artifacts may come from.')),
  artifact_sources: optional(anything('Where artifacts are fetched from.')),
};
