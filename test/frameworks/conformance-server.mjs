// A server of the era with a handshake, with what the protocol's conformance suite looks for: `stdio`, or `http` on a free port that it prints. Over HTTP it has sessions,
// streams that can be taken up again, and a tool that breaks its stream off.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import * as types from '@modelcontextprotocol/sdk/types.js';
import * as offers from './conformance-offers.mjs';

const { text, wait } = offers;

const options = (names) => names.map((name, at) => ({ const: `value${at + 1}`, title: name }));
const THREE = ['option1', 'option2', 'option3'];

const TOOLS = {
  ...offers.TOOLS,
  test_tool_with_logging: async (_args, { sendNotification }) => {
    for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await sendNotification({ method: 'notifications/message', params: { level: 'info', data } });
      await wait(50);
    }
    return [text('logged')];
  },
  test_tool_with_progress: async (_args, { sendNotification, _meta }) => {
    for (const progress of [0, 50, 100]) {
      const params = { progressToken: _meta?.progressToken, progress, total: 100 };
      if (_meta?.progressToken !== undefined)
        await sendNotification({ method: 'notifications/progress', params });
      await wait(50);
    }
    return [text('done')];
  },
  test_sampling: async ({ prompt }, { sendRequest }) => {
    const params = { messages: [{ role: 'user', content: text(prompt) }], maxTokens: 100 };
    const { content } = await sendRequest(
      { method: 'sampling/createMessage', params },
      types.CreateMessageResultSchema,
    );
    return [text(`LLM response: ${content.text}`)];
  },
  test_elicitation: ({ message }, extra) =>
    elicited(extra, 'User response', message, {
      properties: {
        username: { type: 'string', description: "User's response" },
        email: { type: 'string', description: "User's email address" },
      },
      required: ['username', 'email'],
    }),
  test_elicitation_sep1034_defaults: (_args, extra) =>
    elicited(extra, 'Elicitation completed', 'Defaults', {
      properties: {
        name: { type: 'string', default: 'John Doe' },
        age: { type: 'integer', default: 30 },
        score: { type: 'number', default: 95.5 },
        status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
        verified: { type: 'boolean', default: true },
      },
      required: [],
    }),
  test_elicitation_sep1330_enums: (_args, extra) =>
    elicited(extra, 'Elicitation completed', 'Enums', {
      properties: {
        untitledSingle: { type: 'string', enum: THREE },
        titledSingle: { type: 'string', oneOf: options(['First Option', 'Second Option', 'Third Option']) },
        legacyEnum: {
          type: 'string',
          enum: ['opt1', 'opt2', 'opt3'],
          enumNames: ['Option One', 'Option Two', 'Option Three'],
        },
        untitledMulti: { type: 'array', items: { type: 'string', enum: THREE } },
        titledMulti: {
          type: 'array',
          items: { anyOf: options(['First Choice', 'Second Choice', 'Third Choice']) },
        },
      },
      required: [],
    }),
  test_reconnection: async (_args, { closeSSEStream }) => {
    await wait(50);
    closeSSEStream?.();
    await wait(100);
    return [text('Reconnection test completed successfully')];
  },
};

const SCHEMAS = {
  ...offers.SCHEMAS,
  test_sampling: { properties: { prompt: { type: 'string' } }, required: ['prompt'] },
  test_elicitation: { properties: { message: { type: 'string' } }, required: ['message'] },
};

async function elicited({ sendRequest }, said, message, schema) {
  const params = { message, requestedSchema: { type: 'object', ...schema } };
  const { action, content } = await sendRequest(
    { method: 'elicitation/create', params },
    types.ElicitResultSchema,
  );
  return [text(`${said}: action=${action}, content=${JSON.stringify(content ?? {})}`)];
}

function makeServer() {
  const capabilities = {
    tools: {},
    prompts: {},
    resources: { subscribe: true },
    logging: {},
    completions: {},
  };
  const server = new Server({ name: 'conformance', version: '1.0.0' }, { capabilities });
  const answers = {
    ListTools: () => ({
      tools: offers.listed(TOOLS, SCHEMAS),
    }),
    CallTool: async ({ name, arguments: args = {} }, extra) => {
      try {
        return { content: await TOOLS[name](args, extra) };
      } catch (error) {
        return { isError: true, content: [text(error.message)] };
      }
    },
    ListResources: () => ({
      resources: offers.RESOURCES,
    }),
    ListResourceTemplates: () => ({
      resourceTemplates: offers.TEMPLATES,
    }),
    ReadResource: ({ uri }) => ({ contents: [offers.contentsOf(uri)] }),
    Subscribe: () => ({}),
    Unsubscribe: () => ({}),
    ListPrompts: () => ({
      prompts: offers.listedPrompts(offers.PROMPTS),
    }),
    GetPrompt: ({ name, arguments: args = {} }) => ({
      messages: offers.PROMPTS[name](args).map((content) => ({ role: 'user', content })),
    }),
    Complete: () => ({ completion: offers.COMPLETION }),
    SetLevel: () => ({}),
  };
  const schemas = { ...types };
  for (const [name, answer] of Object.entries(answers))
    server.setRequestHandler(schemas[`${name}RequestSchema`], async ({ params }, extra) =>
      answer(params, extra),
    );
  return server;
}

function eventStore() {
  const events = [];
  return {
    storeEvent: async (stream, message) => events.push({ stream, message }) && String(events.length),
    getStreamIdForEventId: async (id) => events[Number(id) - 1]?.stream,
    replayEventsAfter: async (id, { send }) => {
      const { stream } = events[Number(id) - 1];
      for (const [at, event] of events.entries())
        if (at >= Number(id) && event.stream === stream && event.message.jsonrpc !== undefined)
          await send(String(at + 1), event.message);
      return stream;
    },
  };
}

if (process.argv[2] === 'stdio') {
  await makeServer().connect(new StdioServerTransport());
} else {
  const sessions = new Map();
  const http = createServer(async (request, response) => {
    const known = sessions.get(request.headers['mcp-session-id']);
    if (known !== undefined) return known.handleRequest(request, response);
    if (request.headers['mcp-session-id'] !== undefined) return response.writeHead(404).end();
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      eventStore: eventStore(),
      retryInterval: 200,
      enableDnsRebindingProtection: true,
      allowedHosts: [`127.0.0.1:${http.address().port}`, `localhost:${http.address().port}`],
      onsessioninitialized: (id) => sessions.set(id, transport),
    });
    await makeServer().connect(transport);
    return transport.handleRequest(request, response);
  });
  http.listen(0, '127.0.0.1', () => console.log(`listening at http://127.0.0.1:${http.address().port}/mcp`));
}
