/**
 * What goes between a proxy and its transports: messages as the bytes they are, and with what each of them came. To the proxy that is
 * only something to pass on.
 */
import type { Message } from './message.ts';
import type { ParamHeader } from './param-headers.ts';

/** One message, without a line end. */
export type Line = Buffer | string;

/** With what a message came, for a transport that has more than one way. */
export type MessageRoute = {
  /** The client may have this again from the server, by a stream that it takes up where it broke off. */
  readonly resumable?: boolean;
  /** What the server says again. */
  readonly replayed?: boolean;
} | null;

/** What a transport has to know of a message it sends to the server. */
export interface Outgoing extends Message {
  /** Arguments that are repeated in headers. */
  readonly marks?: readonly ParamHeader[];
  /** The proxy asks for itself, until this fires. */
  readonly own?: AbortSignal;
}
