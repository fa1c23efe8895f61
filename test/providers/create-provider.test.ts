/**
 * Which provider a model's settings make, what it needs, and what it does only at the service's own address.
 */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createProvider } from '../../src/agent/providers/create-provider.ts';
import { loadSdk } from '../../src/agent/providers/sdk.ts';
import * as anthropic from './anthropic-wire.ts';
import * as openai from './openai-wire.ts';
import { hostWith, json, stream, wireServer } from './wire-server.ts';

const HOST = hostWith({ ANTHROPIC_API_KEY: 'sk-1', OPENAI_API_KEY: 'sk-2' });
const REQUEST = { model: 'm', system: '', messages: [{ role: 'user', content: 'Hi' }], tools: [] } as const;
const signal = new AbortController().signal;

afterEach(() => vi.unstubAllGlobals());

describe('the settings of a model', () => {
  it.each([
    ['anthropic/claude-test', 'anthropic'],
    ['openai/gpt-test', 'openai'],
  ])('%s makes the provider %s', async (model, name) => {
    expect((await createProvider({ model }, HOST)).name).toBe(name);
  });

  it('scripted:FILE makes a scripted model of the text of the file', async () => {
    const readScript = vi.fn(() => 'completions: [{text: Hi}]');
    const provider = await createProvider({ model: 'scripted:a/story.yaml' }, HOST, { readScript });
    expect(readScript).toHaveBeenCalledWith('a/story.yaml');
    expect(await provider.complete(REQUEST, { signal })).toMatchObject({ completion: { text: 'Hi' } });
  });

  it('a script with mistakes names them with their place', async () => {
    const readScript = () => 'completions: [{txt: Hi}]';
    await expect(createProvider({ model: 'scripted:story.yaml' }, HOST, { readScript })).rejects.toThrow(
      'txt',
    );
  });

  it.each(['gpt-test', 'azure/gpt-test', 'constructor/x', 'scripted:story.yaml', 'openai/'])(
    '%s without more makes none',
    async (model) => {
      await expect(createProvider({ model }, HOST)).rejects.toMatchObject({
        code: 'SESSION_CONFIG',
        message: `no provider for ${JSON.stringify(model)}: want anthropic/NAME, openai/NAME or scripted:FILE`,
      });
    },
  );
});

describe('an SDK', () => {
  const missing = (name: string) => () => import(/* @vite-ignore */ name);

  it('that is not installed is named with the command that installs it', async () => {
    await expect(loadSdk('no-such-sdk', missing('no-such-sdk'))).rejects.toMatchObject({
      code: 'PROVIDER_MISSING',
      message: 'the package no-such-sdk is not installed: npm install no-such-sdk',
    });
  });

  it('that lacks a package of its own says so itself', async () => {
    await expect(loadSdk('openai', missing('no-such-part'))).rejects.not.toMatchObject({
      code: 'PROVIDER_MISSING',
    });
  });
});

describe("at the service's own address", () => {
  /** Sends what is meant for the service to the server of the test, byte for byte. */
  function redirect(from: string, to: string): void {
    const { fetch } = globalThis;
    vi.stubGlobal('fetch', (url: string, init: RequestInit) => {
      if (!url.startsWith(from)) throw new Error(`not redirected: ${url}`);
      return fetch(url.replace(from, to), init);
    });
  }

  it('Anthropic is asked for prompt caching', async () => {
    const server = await wireServer(stream(anthropic.saying('Hi')));
    redirect('https://api.anthropic.com', server.url);
    const provider = await createProvider({ model: 'anthropic/claude-test' }, HOST);
    expect(await provider.complete(REQUEST, { signal })).toMatchObject({ ok: true });
    expect(server.asked[0]).toMatchObject({
      headers: { authorization: 'Bearer sk-1' },
      body: { cache_control: { type: 'ephemeral' } },
    });
  });

  it('OpenAI gets the limit by its new name', async () => {
    const server = await wireServer(stream(openai.saying('Hi')));
    redirect('https://api.openai.com', server.url);
    const provider = await createProvider({ model: 'openai/gpt-test' }, HOST);
    await provider.complete({ ...REQUEST, max_tokens: 9 }, { signal });
    expect(server.asked[0]!.body).toMatchObject({ max_completion_tokens: 9 });
    expect(server.asked[0]!.body).not.toHaveProperty('max_tokens');
  });

  it('settings reach the provider', async () => {
    const server = await wireServer(json(200, { choices: [] }));
    const settings = { model: 'openai/x', baseUrl: `${server.url}/v9`, stream: false };
    const provider = await createProvider(settings, HOST);
    await provider.complete(REQUEST, { signal });
    expect(server.asked[0]).toMatchObject({ path: '/v9/chat/completions' });
    expect(server.asked[0]!.body).not.toHaveProperty('stream');
  });
});
