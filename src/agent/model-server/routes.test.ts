import { describe, expect, it } from 'vitest';
import { routeOf } from './routes.ts';

const at = (method: string, path: string) => routeOf(method, new URL(path, 'http://127.0.0.1'));

describe('the routes of the model server', () => {
  it.each([
    ['POST', '/v1/messages?beta=true', 'complete', 'anthropic'],
    ['POST', '/v1/messages/count_tokens', 'count-tokens', 'anthropic'],
    ['POST', '/v1/chat/completions', 'complete', 'openai-chat'],
    ['POST', '/openai/deployments/d/chat/completions?api-version=1', 'complete', 'openai-chat'],
    ['POST', '/v1/responses', 'complete', 'openai-responses'],
    ['POST', '/v1/responses/input_tokens', 'count-tokens', 'openai-responses'],
    ['POST', '/v1beta/models/m:generateContent', 'complete', 'gemini'],
    ['POST', '/v1beta/models/m:countTokens', 'count-tokens', 'gemini'],
    ['POST', '/v1beta/models/m:embedContent', 'unknown', 'gemini'],
    ['POST', '/v1/embeddings', 'unknown', 'anthropic'],
    ['GET', '/v1/messages', 'unknown', 'anthropic'],
    ['PUT', '/', 'unknown', 'anthropic'],
  ])('%s %s is %s of %s', (method, path, kind, dialect) => {
    expect(at(method, path)).toMatchObject({ kind, dialect });
  });

  it.each([
    ['/v1beta/models/m:generateContent', 'json'],
    ['/v1beta/models/m:streamGenerateContent?alt=sse', 'sse'],
    ['/v1beta/models/m:streamGenerateContent', 'json-array'],
    ['/v1/messages', null],
  ])('%s is framed as %s', (path, framing) => {
    expect(at('POST', path)).toMatchObject({ framing });
  });

  it('lists models, and finds one whose name has a slash', () => {
    expect(at('GET', '/v1/models?limit=5')).toEqual({ kind: 'models', model: null });
    expect(at('GET', '/v1/models/org/name')).toEqual({ kind: 'models', model: 'org/name' });
  });
});
