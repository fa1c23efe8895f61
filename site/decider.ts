/** Asks the engine in its worker. One that does not answer in time is ended, and the next question starts another. */
import type { Answer, Question } from './worker.ts';

const LONGEST_MS = 8000;

export class Decider {
  private worker: Worker | null = null;
  private ready: Promise<void> = Promise.resolve();
  private last = 0;
  private readonly url: string;

  constructor(text: string) {
    this.url = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
  }

  /** Null if another question has come meanwhile. Never rejects. */
  async decide(question: Omit<Question, 'id'>): Promise<Answer | null> {
    const id = ++this.last;
    this.worker ??= this.start();
    const { worker } = this;
    await this.ready;
    if (id !== this.last) return null;
    const answer = await new Promise<Answer>((resolve) => {
      const timer = setTimeout(() => {
        worker.terminate();
        if (this.worker === worker) this.worker = null;
        resolve({ id, fault: `the hook did not end within ${LONGEST_MS / 1000} seconds and was stopped` });
      }, LONGEST_MS);
      const hear = ({ data }: MessageEvent<Answer>) => {
        if (data.id !== id) return;
        clearTimeout(timer);
        worker.removeEventListener('message', hear);
        resolve(data);
      };
      worker.addEventListener('message', hear);
      worker.postMessage({ ...question, id });
    });
    return id === this.last ? answer : null;
  }

  private start(): Worker {
    const worker = new Worker(this.url);
    this.ready = new Promise((resolve) =>
      worker.addEventListener('message', () => resolve(), { once: true }),
    );
    return worker;
  }
}
