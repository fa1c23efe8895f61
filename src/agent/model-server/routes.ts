/**
 * Which part of which API a request is for. Only the end of the path counts, so that clients may put whatever prefix they
 * like before it: `/v1`, `/v1beta`, the path of a gateway.
 */
import type { DialectName, Framing } from './model-request.ts';

export type Route =
  | {
      readonly kind: 'complete';
      readonly dialect: DialectName;
      readonly model: string;
      readonly framing: Framing | null;
    }
  | { readonly kind: 'count-tokens'; readonly dialect: DialectName }
  /** One model by name, or all of them. */
  | { readonly kind: 'models'; readonly model: string | null }
  /** Whether anybody is there. */
  | { readonly kind: 'hello' }
  | { readonly kind: 'unknown'; readonly dialect: DialectName };

const POSTS: readonly (readonly [ending: string, route: Route])[] = [
  ['/messages', { kind: 'complete', dialect: 'anthropic', model: '', framing: null }],
  ['/messages/count_tokens', { kind: 'count-tokens', dialect: 'anthropic' }],
  ['/chat/completions', { kind: 'complete', dialect: 'openai-chat', model: '', framing: null }],
  ['/responses', { kind: 'complete', dialect: 'openai-responses', model: '', framing: null }],
  ['/responses/input_tokens', { kind: 'count-tokens', dialect: 'openai-responses' }],
];

const GEMINI = /\/models\/([^/:]+):(generateContent|streamGenerateContent|countTokens)$/;
const MODELS = /\/models(?:\/([^:]+))?$/;
const HELLO: readonly string[] = ['/', '/api/hello'];

export function routeOf(method: string, { pathname, searchParams }: URL): Route {
  if (method === 'POST') {
    const found = POSTS.find(([ending]) => pathname.endsWith(ending));
    return found?.[1] ?? geminiRoute(pathname, searchParams) ?? unknown(pathname);
  }
  if (method !== 'GET' && method !== 'HEAD') return unknown(pathname);
  const models = MODELS.exec(pathname);
  if (models !== null) return { kind: 'models', model: models[1] ?? null };
  return HELLO.includes(pathname) ? { kind: 'hello' } : unknown(pathname);
}

function geminiRoute(pathname: string, searchParams: URLSearchParams): Route | null {
  const [, model, verb] = GEMINI.exec(pathname) ?? [];
  if (model === undefined) return null;
  if (verb === 'countTokens') return { kind: 'count-tokens', dialect: 'gemini' };
  const streamed = searchParams.get('alt') === 'sse' ? 'sse' : 'json-array';
  return {
    kind: 'complete',
    dialect: 'gemini',
    model,
    framing: verb === 'generateContent' ? 'json' : streamed,
  };
}

/** Errors are worded as the nearest API words them. */
function unknown(pathname: string): Route {
  const dialect = pathname.includes('/v1beta') ? 'gemini' : 'anthropic';
  return { kind: 'unknown', dialect };
}
