/** Calls that the service of the model ran by itself: they are on the tape, as not judged. */
import { argumentsOf, type Guard } from '../guard.ts';

interface ProviderCall {
  readonly type?: unknown;
  readonly providerExecuted?: unknown;
  readonly toolName?: unknown;
  readonly toolCallId?: unknown;
  readonly input?: unknown;
}

/** `part` is any part of an answer, whole or of a stream. */
export function recordAtProvider(guard: Guard, part: unknown): void {
  const { type, providerExecuted, toolName, toolCallId, input } = part as ProviderCall;
  if (type === 'tool-call' && providerExecuted === true)
    guard.atProvider(String(toolName), argumentsOf(input), String(toolCallId));
}
