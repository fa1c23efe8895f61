/**
 * The moments of an agent's life that agent.json can name: one table for reading the file, its schema and its page.
 */

export interface Bucket {
  /** Canonical. */
  readonly event: string;
  readonly doc: string;
}

export const BUCKETS: Readonly<Record<string, Bucket>> = {
  onStart: { event: 'session.start', doc: 'A run begins.' },
  onToolCall: { event: 'tool.pre', doc: 'Before each tool call: the one moment a profile can stop.' },
  onToolEnd: { event: 'tool.post', doc: 'After each tool that ran.' },
  onModelCall: { event: 'completion.pre', doc: 'Before each request to the model, retries included.' },
  onModelEnd: { event: 'completion.post', doc: 'After each answer of the model, with what it cost.' },
  onComplete: { event: 'session.end', doc: 'The run is over, however it ended.' },
  onError: { event: 'error', doc: 'The run failed for good.' },
};
