/**
 * The clock of an area: milliseconds that only ever go forward, on which all processes agree. The time of day may be set
 * forward or back at any moment; where the machine also tells how long it has been running, that is believed instead, and
 * the time of day only bridges a restart. So no step of a clock frees a limit early or holds it longer than its window.
 */

export interface AreaClock {
  /** Milliseconds since the area began. */
  readonly time: number;
  /** What the clocks said then: the time of day, and how long the machine had been running since `boot`. */
  readonly wall: number;
  readonly steady: number | null;
  readonly boot: string;
}

/** The clock as it is now, given as it was. */
export type Tick = (before: AreaClock | null) => AreaClock;

export interface Steady {
  /** Milliseconds since the machine was started, also those it slept; the same for all its processes. */
  readonly now: () => number;
  /** Tells one start of the machine from another. */
  readonly boot: string;
}

/** `wall` is the time of day. Without `steady` a clock that was set back stands still, and one set forward is believed. */
export function tickAt(wall: number, steady: Steady | null): Tick {
  return (before) => {
    const now = steady?.now() ?? null;
    const boot = steady?.boot ?? '';
    const clocks = { wall, steady: now, boot };
    if (before === null) return { time: 0, ...clocks };
    const sameBoot = boot !== '' && before.boot === boot;
    const passed =
      sameBoot && now !== null && before.steady !== null ? now - before.steady : wall - before.wall;
    return { time: before.time + Math.max(0, passed), ...clocks };
  };
}
