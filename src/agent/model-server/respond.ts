/**
 * From one request as it arrived to the reply and who gave it. The only state is in the player, which remembers the items
 * it has used.
 */
import { isJsonObject, type Json } from '../../base/index.ts';
import { answerOf, plainAnswer } from './answer.ts';
import type { AnswerStamp, Dialect, Failure } from './dialect.ts';
import { DIALECTS } from './dialects.ts';
import { modelList, modelNamed } from './model-list.ts';
import { type DialectName, estimateTokens, type ModelRequest } from './model-request.ts';
import type { RequestBody } from './read-body.ts';
import type { AnsweredBy } from './record.ts';
import { answerReply, failureReply, itemReply, jsonReply, type Reply } from './reply.ts';
import { type Route, routeOf } from './routes.ts';
import type { ScriptPlayer } from './script-player.ts';

export interface Incoming {
  readonly method: string;
  readonly url: URL;
  readonly body: RequestBody;
  readonly stamp: AnswerStamp;
}

export interface RequestOutcome {
  readonly reply: Reply;
  readonly answeredBy: AnsweredBy;
  readonly request: ModelRequest | null;
  readonly body: Json;
}

export interface ModelVoice {
  readonly player: ScriptPlayer;
  readonly nextCallId: () => string;
}

const SIDE_TEXT = 'ok';
const NO_ITEM_TEXT = 'The script has no item for this request.';

export function respond(incoming: Incoming, voice: ModelVoice): RequestOutcome {
  const { method, url, body } = incoming;
  const route = routeOf(method, url);
  if (!body.ok) return refused(DIALECTS[dialectOf(route)], body.failure, null);
  switch (route.kind) {
    case 'hello':
      return served(jsonReply({ ok: true }));
    case 'models':
      return served(
        jsonReply(
          route.model === null
            ? modelList(url.pathname.includes('/v1beta'))
            : modelNamed(decoded(route.model)),
        ),
      );
    case 'count-tokens':
      return {
        ...served(jsonReply(DIALECTS[route.dialect].tokenCount(estimateTokens(body.text.length)))),
        body: bodyForRecord(body.text),
      };
    case 'unknown': {
      const message = `no such path: ${method} ${url.pathname}`;
      return refused(DIALECTS[route.dialect], { status: 404, message }, bodyForRecord(body.text));
    }
    case 'complete':
      return completed(route, body.text, incoming.stamp, voice);
  }
}

function completed(
  route: Extract<Route, { kind: 'complete' }>,
  text: string,
  stamp: AnswerStamp,
  { player, nextCallId }: ModelVoice,
): RequestOutcome {
  const dialect = DIALECTS[route.dialect];
  const body = parsed(text);
  if (!isJsonObject(body)) {
    return refused(dialect, { status: 400, message: 'want a JSON object as body' }, bodyForRecord(text));
  }
  const { model, framing } = route;
  const request = dialect.read(body, { model: decoded(model), framing, characters: text.length });
  const choice = player.choose(request);
  const plain = (words: string) => answerReply(dialect, plainAnswer(words, request), request, stamp);
  switch (choice.kind) {
    case 'side': {
      const { name, text: words } = choice.rule;
      const reply =
        words === undefined
          ? plain(SIDE_TEXT)
          : answerReply(dialect, answerOf({ text: words }, request, nextCallId), request, stamp);
      return { reply, answeredBy: { kind: 'side', rule: name }, request, body };
    }
    case 'none':
      return { reply: plain(NO_ITEM_TEXT), answeredBy: { kind: 'no-item' }, request, body };
    case 'item': {
      const { item, place } = choice;
      const answer = answerOf(item, request, nextCallId);
      const reply = itemReply(item, dialect, answer, request, stamp);
      return { reply, answeredBy: { kind: 'item', place }, request, body };
    }
  }
}

function served(reply: Reply): RequestOutcome {
  return { reply, answeredBy: { kind: 'service' }, request: null, body: null };
}

function refused(dialect: Dialect, failure: Failure, body: Json): RequestOutcome {
  const answeredBy = { kind: 'refused', reason: failure.message } as const;
  return { reply: failureReply(dialect, failure), answeredBy, request: null, body };
}

function dialectOf(route: Route): DialectName {
  return 'dialect' in route ? route.dialect : 'anthropic';
}

function bodyForRecord(text: string): Json {
  return text === '' ? null : (parsed(text) ?? text);
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** A name from the path; as it stands if its escapes are broken. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
