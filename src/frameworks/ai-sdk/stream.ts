/**
 * The answer of a model that comes in pieces. Where a hook judges answers, all pieces are held until it has seen the whole: what it
 * takes out was never shown, and a tool it refuses never begins. Where none does, the pieces go through as they come, and the whole is
 * recorded at the end.
 */
import type { Json, JsonObject } from '../../base/index.ts';
import type { Guard } from '../guard.ts';
import { PolicyError } from './policy-error.ts';
import { recordAtProvider } from './provider-calls.ts';

/** A piece of the SDK's stream. */
export interface Piece {
  readonly type: string;
}

interface Written {
  readonly id: string;
  readonly delta?: string;
}

/** The pieces that stand in an answer as they are. */
const WHOLE = ['tool-call', 'tool-result', 'tool-approval-request', 'file', 'source'];

export function judgedStream<P extends Piece>(guard: Guard, stream: ReadableStream<P>): ReadableStream<P> {
  const held: P[] | null = guard.judges('completion.post') ? [] : null;
  const content = new Content();
  return stream.pipeThrough(
    new TransformStream<P, P>({
      transform(piece, out) {
        recordAtProvider(guard, piece);
        content.add(piece);
        if (held === null) out.enqueue(piece);
        else held.push(piece);
      },
      async flush(out) {
        const before = content.parts();
        const judged = await guard.response({
          choices: [{ message: { role: 'assistant', content: before } }],
        });
        // Nothing of it was given on, so that nothing of it is read or run.
        if (!judged.ok) throw new PolicyError(judged.reason);
        if (held === null) return;
        const [choice] = judged.value.choices as readonly { message: { content: Json[] } }[];
        const after = choice?.message.content ?? [];
        const same = JSON.stringify(after) === JSON.stringify(before);
        for (const piece of same ? held : rewritten(held, after)) out.enqueue(piece);
      },
    }),
  );
}

/** The answer that pieces add up to, as it would be in one. */
class Content {
  private readonly found: JsonObject[] = [];
  private readonly open = new Map<string, { text: string }>();

  add(piece: Piece): void {
    const [kind, step] = stepOf(piece.type);
    const { id, delta = '' } = piece as unknown as Written;
    if (step === 'start') {
      const part = { type: kind!, text: '' };
      this.open.set(`${kind}:${id}`, part);
      this.found.push(part);
    } else if (step === 'delta') {
      const part = this.open.get(`${kind}:${id}`);
      if (part !== undefined) part.text += delta;
    } else if (WHOLE.includes(piece.type)) this.found.push(JSON.parse(JSON.stringify(piece)) as JsonObject);
  }

  parts(): Json[] {
    return this.found.map((part) => ({ ...part }));
  }
}

/** `text-delta` is a step of `text`. What a tool is given comes whole at the end, too. */
function stepOf(type: string): readonly [string | null, string] {
  const [, kind, step] = /^(text|reasoning)-(start|delta|end)$/.exec(type) ?? [];
  return kind === undefined ? [null, ''] : [kind, step!];
}

/** The pieces for another answer: what frames it stays, what was in it is said anew. */
function rewritten<P extends Piece>(held: readonly P[], content: readonly Json[]): P[] {
  const isContent = ({ type }: P) =>
    stepOf(type)[0] !== null || type.startsWith('tool-input-') || WHOLE.includes(type) || type === 'raw';
  const frame = held.filter((piece) => !isContent(piece));
  const end = frame.findIndex(({ type }) => type === 'finish');
  const at = end === -1 ? frame.length : end;
  const said = content.flatMap((part, index) => piecesOf(part as JsonObject, `harness-${index}`));
  return [...frame.slice(0, at), ...(said as unknown as P[]), ...frame.slice(at)];
}

function piecesOf(part: JsonObject, id: string): JsonObject[] {
  const { type, text } = part;
  if (type !== 'text' && type !== 'reasoning') return [part];
  return [
    { type: `${type}-start`, id },
    { type: `${type}-delta`, id, delta: String(text ?? '') },
    { type: `${type}-end`, id },
  ];
}
