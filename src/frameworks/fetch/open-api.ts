/**
 * What the HTTP handler offers, as OpenAPI: events and actions come from the tables of the engine.
 */
import { CATALOG } from '../../engine/index.ts';

export type OpenApi = ReturnType<typeof openApi>;

export function openApi(base: string) {
  const problem = { $ref: '#/components/schemas/Problem' };
  const json = (schema: object, description: string) => ({
    description,
    content: { 'application/json': { schema } },
  });
  return {
    openapi: '3.1.0',
    info: { title: 'Harness', version: '1', description: 'Ask a policy before something is done.' },
    servers: [{ url: base === '' ? '/' : base }],
    paths: {
      '/v1/decide': {
        post: {
          summary: 'What the policy says about an event. Go on only if `stop` is false, and with `payload`.',
          requestBody: {
            required: true,
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Question' } } },
          },
          responses: {
            200: json({ $ref: '#/components/schemas/Outcome' }, 'The decision.'),
            400: json(problem, 'Not a question; nothing was decided.'),
            401: json(problem, 'No token, or another one.'),
            413: json(problem, 'Too long.'),
          },
        },
      },
      '/v1/test': {
        post: {
          summary:
            "Runs the policy's own tests. Nothing that is decided meanwhile changes, and nothing is recorded.",
          responses: {
            200: json({ $ref: '#/components/schemas/Tests' }, 'What came of them: `ok` if all hold.'),
            401: json(problem, 'No token, or another one.'),
          },
        },
      },
      '/v1/health': {
        get: {
          summary: 'Whether a policy is there and whole.',
          responses: {
            200: json({ type: 'object' }, 'It is.'),
            503: json({ type: 'object' }, 'It is not: what its broken parts guard is blocked.'),
          },
        },
      },
    },
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: {
        Question: {
          type: 'object',
          required: ['event'],
          properties: {
            event: { type: 'string', examples: Object.keys(CATALOG) },
            payload: { description: 'As the event has it: see the reference of events.' },
            actor: {
              type: 'object',
              description: 'Who is behind it, as you vouch for: not where the policy tells it from `claim`.',
              required: ['id'],
              properties: {
                id: { type: 'string' },
                email: { type: 'string' },
                tenant: { type: 'string' },
                tier: { type: 'string' },
                scopes: { type: 'array', items: { type: 'string' } },
              },
            },
            claim: { description: 'What the policy tells from who it is, such as a token.' },
            session: { type: 'string', description: 'What hooks keep is kept for each session.' },
          },
        },
        Outcome: {
          type: 'object',
          required: ['event', 'action', 'stop', 'payload'],
          properties: {
            event: { type: 'string' },
            action: { enum: ['allow', 'block', 'modify', 'ask', 'delegate', 'permit'] },
            stop: { type: 'boolean', description: 'The operation must not go on.' },
            reason: { type: ['string', 'null'] },
            hook: { type: ['string', 'null'] },
            payload: { description: 'What to go on with.' },
            effects: { type: 'array' },
            trace: { type: 'array' },
            policy: { type: 'string', description: 'Digest of the policy that decided.' },
          },
        },
        Tests: {
          type: 'object',
          required: ['ok', 'passed', 'todo', 'failed', 'problems'],
          properties: {
            ok: { type: 'boolean', description: 'There are tests, all hold, and the policy has no errors.' },
            passed: { type: 'integer' },
            todo: { type: 'integer', description: 'They fail and are known to.' },
            failed: {
              type: 'array',
              items: {
                type: 'object',
                required: ['name', 'place', 'mismatches'],
                properties: {
                  hook: { type: ['string', 'null'] },
                  name: { type: 'string' },
                  place: { type: 'string', description: '`file:line`' },
                  problem: { type: ['string', 'null'], description: 'Why it could not be run.' },
                  mismatches: { type: 'array', description: '`what`, `wanted` and `got` of each.' },
                },
              },
            },
            problems: {
              type: 'array',
              items: { type: 'string' },
              description: 'What is wrong with the policy or its tests.',
            },
            policy: { type: 'string', description: 'Digest of the policy that was tested.' },
          },
        },
        Problem: {
          type: 'object',
          required: ['error', 'stop'],
          properties: { error: { type: 'string' }, stop: { const: true } },
        },
      },
    },
    security: [{ token: [] }],
  };
}
