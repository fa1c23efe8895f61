// A server with what the protocol's conformance suite looks for: `stdio`, or `http` on a free port that it prints. Over HTTP it has sessions,
// streams that can be taken up again, and a tool that breaks its stream off.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import * as types from '@modelcontextprotocol/sdk/types.js';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=';
const text = (said) => ({ type: 'text', text: said });
const image = { type: 'image', data: PNG, mimeType: 'image/png' };
const embedded = (uri, said, mimeType = 'text/plain') => ({
  type: 'resource',
  resource: { uri, mimeType, text: said },
});
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const options = (names) => names.map((name, at) => ({ const: `value${at + 1}`, title: name }));
const THREE = ['option1', 'option2', 'option3'];

const TOOLS = {
  test_simple_text: () => [text('This is a simple text response for testing.')],
  test_image_content: () => [image],
  test_audio_content: () => [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }],
  test_embedded_resource: () => [
    embedded('test://embedded-resource', 'This is an embedded resource content.'),
  ],
  test_multiple_content_types: () => [
    text('Multiple content types test:'),
    image,
    embedded('test://mixed-content-resource', '{"test":"data","value":123}', 'application/json'),
  ],
  test_tool_with_logging: async (_args, { sendNotification }) => {
    for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await sendNotification({ method: 'notifications/message', params: { level: 'info', data } });
      await wait(50);
    }
    return [text('logged')];
  },
  test_error_handling: () => {
    throw new Error('This tool intentionally returns an error for testing');
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
  json_schema_2020_12_tool: () => [text('ok')],
};

const SCHEMAS = {
  test_sampling: { properties: { prompt: { type: 'string' } }, required: ['prompt'] },
  test_elicitation: { properties: { message: { type: 'string' } }, required: ['message'] },
  json_schema_2020_12_tool: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $defs: {
      address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } },
    },
    properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
    additionalProperties: false,
  },
};

async function elicited({ sendRequest }, said, message, schema) {
  const params = { message, requestedSchema: { type: 'object', ...schema } };
  const { action, content } = await sendRequest(
    { method: 'elicitation/create', params },
    types.ElicitResultSchema,
  );
  return [text(`${said}: action=${action}, content=${JSON.stringify(content ?? {})}`)];
}

const PROMPTS = {
  test_simple_prompt: () => [text('This is a simple prompt for testing.')],
  test_prompt_with_arguments: ({ arg1, arg2 }) => [
    text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`),
  ],
  test_prompt_with_embedded_resource: ({ resourceUri }) => [
    embedded(resourceUri, 'Embedded resource content for testing.'),
    text('Please process the embedded resource above.'),
  ],
  test_prompt_with_image: () => [image, text('Please analyze the image above.')],
};
const PROMPT_ARGUMENTS = {
  test_prompt_with_arguments: ['arg1', 'arg2'],
  test_prompt_with_embedded_resource: ['resourceUri'],
};

function contentsOf(uri) {
  if (uri === 'test://static-binary') return { uri, mimeType: 'image/png', blob: PNG };
  const [, id] = /^test:\/\/template\/(.+)\/data$/.exec(uri) ?? [];
  if (id === undefined)
    return { uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' };
  const data = { id, templateTest: true, data: `Data for ID: ${id}` };
  return { uri, mimeType: 'application/json', text: JSON.stringify(data) };
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
      tools: Object.keys(TOOLS).map((name) => ({
        name,
        description: `Tool ${name}.`,
        inputSchema: { type: 'object', ...SCHEMAS[name] },
      })),
    }),
    CallTool: async ({ name, arguments: args = {} }, extra) => {
      try {
        return { content: await TOOLS[name](args, extra) };
      } catch (error) {
        return { isError: true, content: [text(error.message)] };
      }
    },
    ListResources: () => ({
      resources: ['static-text', 'static-binary', 'watched-resource'].map((name) => ({
        uri: `test://${name}`,
        name,
        description: `Resource ${name}.`,
      })),
    }),
    ListResourceTemplates: () => ({
      resourceTemplates: [
        { uriTemplate: 'test://template/{id}/data', name: 'template', description: 'A template.' },
      ],
    }),
    ReadResource: ({ uri }) => ({ contents: [contentsOf(uri)] }),
    Subscribe: () => ({}),
    Unsubscribe: () => ({}),
    ListPrompts: () => ({
      prompts: Object.keys(PROMPTS).map((name) => ({
        name,
        description: `Prompt ${name}.`,
        arguments: (PROMPT_ARGUMENTS[name] ?? []).map((one) => ({ name: one, required: true })),
      })),
    }),
    GetPrompt: ({ name, arguments: args = {} }) => ({
      messages: PROMPTS[name](args).map((content) => ({ role: 'user', content })),
    }),
    Complete: () => ({ completion: { values: ['paris', 'park'], total: 2, hasMore: false } }),
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
