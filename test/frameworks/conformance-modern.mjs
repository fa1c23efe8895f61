// A server of the era without sessions, with what the protocol's conformance suite looks for: `stdio`, or `http` on a free port that it prints.
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import {
  createMcpHandler,
  createRequestStateCodec,
  hostHeaderValidationResponse,
  inputRequired,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  MissingRequiredClientCapabilityError,
  originValidationResponse,
  ResourceNotFoundError,
  Server,
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as offers from './conformance-offers.mjs';

const { text } = offers;
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const states = createRequestStateCodec({ key: 'k'.repeat(32) });
/** Tells whoever listens that a list has changed. */
let changed = () => {};

const elicit = (message, key, type = 'string') =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [key]: { type } }, required: [key] },
  });
const sample = (prompt, maxTokens) =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: text(prompt) }], maxTokens });

/** What the client accepted of an elicitation, or undefined. */
const accepted = ({ inputResponses }, key) =>
  inputResponses?.[key]?.action === 'accept' ? inputResponses[key].content : undefined;

/** Tools that want something of the client first. */
const ASKING = {
  elicitation: async (request) => {
    const { name } = accepted(request, 'user_name') ?? {};
    return typeof name === 'string'
      ? [text(`Hello, ${name}!`)]
      : inputRequired({ inputRequests: { user_name: elicit('What is your name?', 'name') } });
  },
  sampling: async ({ inputResponses }) => {
    const said = inputResponses?.capital_question?.content;
    return said === undefined
      ? inputRequired({ inputRequests: { capital_question: sample('What is the capital of France?', 100) } })
      : [text(said.text ?? JSON.stringify(said))];
  },
  list_roots: async ({ inputResponses }) => {
    const { roots } = inputResponses?.client_roots ?? {};
    return Array.isArray(roots)
      ? [text(`Roots: ${roots.map(({ uri }) => uri).join(', ')}`)]
      : inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
  },
  request_state: async (request) =>
    request.requestState()?.step === 1 && accepted(request, 'confirm') !== undefined
      ? [text('state-ok')]
      : withState(1, { confirm: elicit('Please confirm', 'ok', 'boolean') }),
  tampered_state: async (request) =>
    request.requestState()?.step === 1
      ? [text('state-ok')]
      : withState(1, { confirm: elicit('Please confirm', 'ok', 'boolean') }),
  multiple_inputs: async ({ inputResponses = {} }) =>
    ['user_name', 'greeting', 'client_roots'].every((key) => inputResponses[key] !== undefined)
      ? [text(JSON.stringify(inputResponses))]
      : withState(1, {
          user_name: elicit('What is your name?', 'name'),
          greeting: sample('Generate a greeting', 50),
          client_roots: inputRequired.listRoots(),
        }),
  multi_round: async (request) => {
    const { step = 0 } = request.requestState() ?? {};
    if (step === 1 && accepted(request, 'step1') !== undefined)
      return withState(2, { step2: elicit('Step 2: What is your favorite color?', 'color') });
    return step === 2 && accepted(request, 'step2') !== undefined
      ? [text('All steps are done.')]
      : withState(1, { step1: elicit('Step 1: What is your name?', 'name') });
  },
  capabilities: async ({ inputResponses, envelope }) => {
    if (Object.keys(inputResponses ?? {}).length > 0) return [text('done')];
    const { elicitation, sampling, roots } = envelope?.[CAPABILITIES] ?? {};
    const inputRequests = {
      ...(elicitation && { user_name: elicit('What is your name?', 'name') }),
      ...(sampling && { greeting: sample('Generate a greeting', 50) }),
      ...(roots && { client_roots: inputRequired.listRoots() }),
    };
    return Object.keys(inputRequests).length === 0
      ? [text('nothing can be asked')]
      : inputRequired({ inputRequests });
  },
};

const withState = async (step, inputRequests) =>
  inputRequired({ inputRequests, requestState: await states.mint({ step }) });

const TOOLS = {
  ...offers.TOOLS,
  // What the suite calls where a server has no tasks: each answers at once.
  greet: () => [text('Hello!')],
  slow_compute: () => [text('42')],
  confirm_delete: () => [text('Nothing is deleted.')],
  failing_job: () => [text('Nothing has failed.')],
  test_tool_with_progress: async (_args, { _meta, notify }) => {
    for (const progress of [0, 50, 100]) {
      const params = { progressToken: _meta?.progressToken, progress, total: 100 };
      if (params.progressToken !== undefined) await notify({ method: 'notifications/progress', params });
    }
    return [text('done')];
  },
  test_logging_tool: async (_args, { log }) => {
    await log('info', 'a line');
    return [text('logged')];
  },
  test_streaming_elicitation: async (_args, { notify, _meta }) => {
    const params = { progressToken: _meta?.progressToken ?? 'x', progress: 1 };
    await notify({ method: 'notifications/progress', params });
    return inputRequired({ inputRequests: { user_name: elicit('What is your name?', 'name') } });
  },
  test_missing_capability: async (_args, { envelope }) => {
    if (envelope?.[CAPABILITIES]?.sampling === undefined)
      throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } });
    return [text('ok')];
  },
  test_trigger_tool_change: async () => {
    changed('tools');
    return [text('changed')];
  },
  test_trigger_prompt_change: async () => {
    changed('prompts');
    return [text('changed')];
  },
  test_custom_headers: async ({ region }) => [text(`region ${region}`)],
  ...Object.fromEntries(
    Object.entries(ASKING).map(([name, ask]) => [
      `test_input_required_result_${name}`,
      (_args, request) => ask(request),
    ]),
  ),
};

const SCHEMAS = {
  ...offers.SCHEMAS,
  test_custom_headers: { properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } },
};

const PROMPTS = {
  ...offers.PROMPTS,
  test_input_required_result_prompt: (_args, request) => {
    const { context } = accepted(request, 'user_context') ?? {};
    return typeof context === 'string'
      ? [text(`Context: ${context}`)]
      : inputRequired({ inputRequests: { user_context: elicit('What context?', 'context') } });
  },
};

/** Content, or the wish for input as it stands. */
const orInput = async (said, make) => {
  const given = await said;
  return Array.isArray(given) ? make(given) : given;
};

function makeServer() {
  const capabilities = {
    tools: { listChanged: true },
    prompts: { listChanged: true },
    resources: {},
    logging: {},
    completions: {},
  };
  const hint = { ttlMs: 1000, cacheScope: 'public' };
  const server = new Server(
    { name: 'conformance', version: '1.0.0' },
    {
      capabilities,
      requestState: states,
      cacheHints: Object.fromEntries(
        ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list', 'resources/read'].map(
          (method) => [method, hint],
        ),
      ),
    },
  );
  const answers = {
    'tools/list': () => ({ tools: offers.listed(TOOLS, SCHEMAS) }),
    'tools/call': async ({ name, arguments: args = {} }, request) => {
      try {
        return await orInput(TOOLS[name](args, request), (content) => ({ content }));
      } catch (error) {
        if (error instanceof MissingRequiredClientCapabilityError) throw error;
        return { isError: true, content: [text(error.message)] };
      }
    },
    'resources/list': () => ({ resources: offers.RESOURCES }),
    'resources/templates/list': () => ({ resourceTemplates: offers.TEMPLATES }),
    'resources/read': ({ uri }) => {
      if (uri.includes('nonexistent')) throw new ResourceNotFoundError(uri);
      return { contents: [offers.contentsOf(uri)] };
    },
    'prompts/list': () => ({ prompts: offers.listedPrompts(PROMPTS) }),
    'prompts/get': ({ name, arguments: args = {} }, request) =>
      orInput(PROMPTS[name](args, request), (contents) => ({
        messages: contents.map((content) => ({ role: 'user', content })),
      })),
    'completion/complete': () => ({ completion: offers.COMPLETION }),
  };
  for (const [method, answer] of Object.entries(answers))
    server.setRequestHandler(method, async ({ params }, { mcpReq }) => answer(params ?? {}, mcpReq));
  return server;
}

if (process.argv[2] === 'stdio') {
  serveStdio(() => {
    const server = makeServer();
    changed = (what) =>
      void (what === 'tools' ? server.sendToolListChanged() : server.sendPromptListChanged());
    return server;
  });
} else {
  const handler = createMcpHandler(makeServer);
  changed = (what) => (what === 'tools' ? handler.notify.toolsChanged() : handler.notify.promptsChanged());
  const http = createServer(async (incoming, outgoing) => {
    const request = new Request(`http://${incoming.headers.host}${incoming.url}`, {
      method: incoming.method,
      headers: incoming.headers,
      ...(incoming.method === 'POST' && { body: Readable.toWeb(incoming), duplex: 'half' }),
    });
    const response =
      hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
      originValidationResponse(request, localhostAllowedOrigins()) ??
      (await handler.fetch(request));
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    outgoing.flushHeaders();
    if (response.body === null) return outgoing.end();
    const body = Readable.fromWeb(response.body).on('error', () => outgoing.destroy());
    outgoing.on('close', () => body.destroy());
    body.pipe(outgoing);
  });
  http.listen(0, '127.0.0.1', () => console.log(`listening at http://127.0.0.1:${http.address().port}/mcp`));
}
