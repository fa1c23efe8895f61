/**
 * Ctrl-C and a request to terminate: the first aborts what is under way, so that `session.end` still fires; the second
 * ends the process.
 */
const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

export interface Interrupts {
  /** A signal for the next thing that may be aborted. */
  readonly next: () => AbortSignal;
  readonly interrupted: () => boolean;
  /** As if the person had pressed Ctrl-C. */
  readonly interrupt: () => void;
  /** Gives the keys back. */
  readonly release: () => void;
}

/** `stopping` is told of the first. */
export function watchInterrupts(stopping: () => void): Interrupts {
  let controller = new AbortController();
  let code: number | null = null;
  const stop = (exit: number) => {
    if (controller.signal.aborted) process.exit(exit);
    code = exit;
    stopping();
    controller.abort();
  };
  const listeners = Object.entries(SIGNALS).map(([name, exit]) => {
    const listener = () => stop(exit);
    process.on(name, listener);
    return () => process.removeListener(name, listener);
  });
  return {
    next: () => {
      if (controller.signal.aborted) controller = new AbortController();
      return controller.signal;
    },
    interrupted: () => code !== null,
    interrupt: () => stop(SIGNALS.SIGINT),
    release: () => {
      for (const remove of listeners) remove();
    },
  };
}
