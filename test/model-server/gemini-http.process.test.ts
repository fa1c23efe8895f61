/** The Gemini API by its documented wire format, over plain HTTP. */
import { describe, expect, it } from 'vitest';
import type { ModelServer } from '../../src/agent/model-server/index.ts';
import type { JsonObject } from '../../src/base/json.ts';
import { post, serve, TWO_CALLS } from './serve.ts';

const ASKED: JsonObject = {
  systemInstruction: { parts: [{ text: 'Be brief.' }] },
  contents: [{ role: 'user', parts: [{ text: 'Look around.' }] }],
  tools: [{ functionDeclarations: [{ name: 'read_file' }, { name: 'list_files' }] }],
};

const CALLS: JsonObject[] = [
  { functionCall: { id: 'call_1', name: 'read_file', args: TWO_CALLS.tool_calls![0]!.args! } },
  { functionCall: { id: 'call_2', name: 'list_files', args: {} } },
];

interface Chunk {
  readonly candidates: readonly {
    readonly content: { readonly role: string; readonly parts: readonly { readonly text?: string }[] };
    readonly finishReason?: string;
  }[];
  readonly usageMetadata: JsonObject;
}

const ask = ({ url }: ModelServer, verb: string, body: JsonObject = ASKED) =>
  post(`${url}/v1beta/models/gemini-test:${verb}`, body, { 'x-goog-api-key': 'dummy' });

function events(text: string): Chunk[] {
  return text
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => JSON.parse(event.replace(/^data: /, '')));
}

const partsOf = (chunks: readonly Chunk[]) =>
  chunks.flatMap(({ candidates }) => candidates[0]!.content.parts);

function expectTwoCalls(chunks: readonly Chunk[]): void {
  const parts = partsOf(chunks);
  expect(parts.map(({ text = '' }) => text).join('')).toBe(TWO_CALLS.text);
  expect(parts.slice(-2)).toEqual(CALLS);
  expect(chunks.map(({ candidates }) => candidates[0]!.finishReason)).toEqual([
    ...chunks.slice(1).map(() => undefined),
    'STOP',
  ]);
  expect(chunks.at(-1)).toMatchObject({
    usageMetadata: { promptTokenCount: 12, candidatesTokenCount: 5, totalTokenCount: 17 },
    modelVersion: 'gemini-test',
  });
}

describe('the Gemini API', () => {
  it('answers generateContent with text, two function calls and usage', async () => {
    const server = await serve([TWO_CALLS]);
    const response = await ask(server, 'generateContent');
    expect(response.headers.get('content-type')).toMatch('application/json');
    expectTwoCalls([(await response.json()) as Chunk]);
  });

  it('streams events with alt=sse, the text in several pieces', async () => {
    const server = await serve([TWO_CALLS]);
    const response = await ask(server, 'streamGenerateContent?alt=sse');
    expect(response.headers.get('content-type')).toMatch('text/event-stream');
    const chunks = events(await response.text());
    expect(chunks.length).toBeGreaterThan(2);
    expectTwoCalls(chunks);
  });

  it('streams one JSON array without alt=sse', async () => {
    const server = await serve([TWO_CALLS]);
    const response = await ask(server, 'streamGenerateContent');
    expect(response.headers.get('content-type')).toMatch('application/json');
    const chunks = (await response.json()) as Chunk[];
    expect(chunks.length).toBeGreaterThan(2);
    expectTwoCalls(chunks);
  });

  it('an answer without text and calls is still one chunk that ends', async () => {
    const server = await serve([{ stop_reason: 'max_tokens' }]);
    const chunks = events(await (await ask(server, 'streamGenerateContent?alt=sse')).text());
    expect(chunks).toMatchObject([{ candidates: [{ content: { parts: [] }, finishReason: 'MAX_TOKENS' }] }]);
  });

  it('records the conversation as the model got it, whatever the tool answered', async () => {
    const server = await serve([{ text: 'Done.' }]);
    const answered: JsonObject[] = [
      { functionResponse: { id: 'call_1', name: 'read_file', response: { output: 'the notes' } } },
      {
        functionResponse: { name: 'list_files', response: { files: [{ name: 'a.txt' }, { name: 'b.txt' }] } },
      },
    ];
    const contents = [
      { role: 'user', parts: [{ text: 'Look around.' }] },
      { role: 'model', parts: [{ text: 'I will.' }, ...CALLS] },
      { role: 'user', parts: answered },
    ];
    await ask(server, 'generateContent', { ...ASKED, contents });
    expect(server.requests()[0]!.request).toMatchObject({
      dialect: 'gemini',
      model: 'gemini-test',
      system: 'Be brief.',
      tools: [{ name: 'read_file' }, { name: 'list_files' }],
      messages: [
        { role: 'user', text: 'Look around.' },
        { role: 'assistant', text: 'I will.' },
        { role: 'call', id: 'call_1', name: 'read_file' },
        { role: 'call', id: 'call_2', name: 'list_files' },
        { role: 'result', id: 'call_1', text: 'the notes' },
        { role: 'result', id: '', text: 'a.txt\nb.txt' },
      ],
    });
  });

  it.each([
    [400, 'INVALID_ARGUMENT'],
    [401, 'UNAUTHENTICATED'],
    [429, 'RESOURCE_EXHAUSTED'],
    [503, 'UNAVAILABLE'],
    [500, 'INTERNAL'],
  ])('an error of status %i says %s', async (status, word) => {
    const server = await serve([{ error: { status, message: 'not today', retry_after_ms: 1500 } }]);
    const response = await ask(server, 'generateContent');
    expect(response.status).toBe(status);
    expect(response.headers.get('retry-after')).toBe('2');
    expect(await response.json()).toEqual({
      error: {
        code: status,
        message: 'not today',
        status: word,
        details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '1.5s' }],
      },
    });
  });

  it('counts tokens and lists models without taking an item', async () => {
    const server = await serve([{ text: 'Done.' }]);
    expect(await (await ask(server, 'countTokens')).json()).toEqual({ totalTokens: expect.any(Number) });
    const listed = await (await fetch(`${server.url}/v1beta/models`)).json();
    expect(listed).toMatchObject({ models: [{ name: 'models/scripted-model' }] });
    expect(server.unused()).toEqual([0]);
  });

  it('is found under the paths of other endpoints too', async () => {
    const server = await serve([{ text: 'Done.' }]);
    const path = '/v1/projects/p/locations/l/publishers/google/models/gemini-test:generateContent';
    const response = await post(server.url + path, ASKED);
    expect(partsOf([(await response.json()) as Chunk])).toEqual([{ text: 'Done.' }]);
  });
});
