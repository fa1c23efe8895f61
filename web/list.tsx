/**
 * A list of any length of which only what is seen is in the page. Rows are fetched in pages as they come into sight; each is a link,
 * so that it can be followed, copied and reached with the keyboard: j and k move, enter opens.
 */

import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Rows } from '../src/page/server/api.ts';
import { ask } from './api.ts';
import { Problem } from './words.tsx';

const PAGE = 200;
/** Pages that are kept; those farthest away go first. */
const MOST_PAGES = 40;
const OVERSCAN_ROWS = 8;
const POLL_MS = 400;
/** Of one row. */
const MOST_LINES = 4;
/** Browsers make nothing higher than some tens of millions of pixels: a longer list scrolls faster than its bar. */
const MOST_PX = 16_000_000;

interface Listed {
  readonly seq: number;
}

export interface ListProps<T extends Listed> {
  /** Where rows come from, with its query. */
  readonly from: string;
  readonly label: string;
  readonly href: (row: T) => string;
  readonly row: (row: T) => ComponentChildren;
  readonly isSelected?: (row: T) => boolean;
  /** Lines that a row is high; 0: it belongs to the one above. */
  readonly linesOf?: (row: T) => number;
  /** Of a line, in pixels. */
  readonly height: number;
  readonly follow?: boolean;
  readonly empty?: string;
  readonly onTotal?: (total: number, done: boolean, capped: boolean) => void;
}

/** The height of a line on a wide screen, and on a narrow one. */
export function useRowHeight(wide = 26, small = 46): number {
  const narrow = useMemo(() => window.matchMedia('(max-width: 700px)'), []);
  const [isNarrow, setNarrow] = useState(narrow.matches);
  useEffect(() => {
    const change = () => setNarrow(narrow.matches);
    narrow.addEventListener('change', change);
    return () => narrow.removeEventListener('change', change);
  }, [narrow]);
  return isNarrow ? small : wide;
}

/** Brings a line of the list into sight, if it is not. */
export function showLine(line: number): void {
  window.dispatchEvent(new CustomEvent('harness-show', { detail: { line } }));
}

export function List<T extends Listed>({
  from,
  label,
  href,
  row,
  isSelected = () => false,
  linesOf = () => 1,
  height,
  follow = false,
  empty = 'Nothing fits.',
  onTotal,
}: ListProps<T>) {
  const box = useRef<HTMLDivElement>(null);
  const pages = useRef(new Map<number, readonly T[]>());
  const asked = useRef(new Set<number>());
  const [state, setState] = useState({ total: 0, done: false, capped: false, version: 0 });
  const [view, setView] = useState({ top: 0, height: 600 });
  const [error, setError] = useState<string | null>(null);
  const whole = state.total * height;
  const ratio = whole <= MOST_PX ? 1 : (whole - view.height) / (MOST_PX - view.height);
  const top = view.top * ratio;
  const first = Math.max(0, Math.floor(top / height) - OVERSCAN_ROWS);
  const last = Math.min(state.total, Math.ceil((top + view.height) / height) + OVERSCAN_ROWS);

  const load = useRef<(page: number) => void>(() => {});
  useEffect(() => {
    const ended = new AbortController();
    let timer = 0;
    pages.current = new Map();
    asked.current = new Set();
    setError(null);
    load.current = (page) => {
      if (asked.current.has(page)) return;
      asked.current.add(page);
      const join = from.includes('?') ? '&' : '?';
      ask<Omit<Rows, 'rows'> & { rows: readonly T[] }>(
        `${from}${join}offset=${page * PAGE}&limit=${PAGE}`,
        undefined,
        ended.signal,
      ).then(
        ({ rows, total, done, capped }) => {
          pages.current.set(page, rows);
          if (pages.current.size > MOST_PAGES) forgetFarthest(pages.current, asked.current, page);
          // What was cut short is asked for again when there is more.
          if (rows.length < PAGE && !done) asked.current.delete(page);
          setState((old) => ({ total, done, capped, version: old.version + 1 }));
          onTotal?.(total, done, capped);
          if (!done) {
            window.clearTimeout(timer);
            timer = window.setTimeout(() => {
              asked.current.delete(page);
              load.current(page);
            }, POLL_MS);
          }
        },
        (reason: Error) => {
          asked.current.delete(page);
          if (!ended.signal.aborted) setError(reason.message);
        },
      );
    };
    load.current(0);
    return () => {
      ended.abort();
      window.clearTimeout(timer);
    };
  }, [from]);

  useEffect(() => {
    for (let page = Math.floor(first / PAGE); page <= Math.floor(Math.max(first, last - 1) / PAGE); page++) {
      if (!pages.current.has(page) && page * PAGE < Math.max(1, state.total)) load.current(page);
    }
  }, [first, last, state.total, from]);

  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const measure = () => setView({ top: element.scrollTop, height: element.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    let waiting = false;
    const onScroll = () => {
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => {
        waiting = false;
        measure();
      });
    };
    element.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', onScroll);
    };
  }, []);

  useEffect(() => {
    if (follow && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [follow, state.total]);

  const at = (index: number) => pages.current.get(Math.floor(index / PAGE))?.[index % PAGE];

  useMove(box, state.total, height, setView, ratio);

  const rows = [];
  for (let index = first; index < last; index++) {
    const data = at(index);
    const lines = data === undefined ? 1 : linesOf(data);
    if (lines === 0) continue;
    rows.push(
      <div
        key={index}
        class="row"
        role="listitem"
        aria-setsize={state.total}
        aria-posinset={index + 1}
        style={{ top: `${index * height - top + view.top}px`, height: `${lines * height}px` }}
      >
        {data === undefined ? (
          <span class="quiet">…</span>
        ) : (
          <a href={href(data)} data-index={index} aria-current={isSelected(data) ? 'true' : undefined}>
            {row(data)}
          </a>
        )}
      </div>,
    );
  }
  return (
    <div class="list" ref={box}>
      {error !== null && <Problem>{error}</Problem>}
      {state.total === 0 && state.version > 0 && error === null && (
        <p class="quiet pad">{state.done ? empty : 'Looking…'}</p>
      )}
      <div class="rows" role="list" aria-label={label} style={{ height: `${Math.min(whole, MOST_PX)}px` }}>
        {rows}
      </div>
    </div>
  );
}

function forgetFarthest<T>(pages: Map<number, readonly T[]>, asked: Set<number>, near: number): void {
  let farthest = near;
  for (const page of pages.keys()) if (Math.abs(page - near) > Math.abs(farthest - near)) farthest = page;
  pages.delete(farthest);
  asked.delete(farthest);
}

/** j and k: the focus goes to the next line or the one before, and the list after it. */
export function useMove(
  box: RefObject<HTMLDivElement | null>,
  total: number,
  height: number,
  setView: (view: { top: number; height: number }) => void,
  /** So many pixels of the list pass for one of its bar. */
  ratio = 1,
): void {
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const focusAt = (index: number, by = 1) => {
      const to = Math.max(0, Math.min(total - 1, index));
      const top = to * height;
      const seen = element.scrollTop * ratio;
      if (top < seen) element.scrollTop = top / ratio;
      else if (top + height > seen + element.clientHeight)
        element.scrollTop = (top + height - element.clientHeight) / ratio;
      setView({ top: element.scrollTop, height: element.clientHeight });
      // What belongs to the row above has no line of its own.
      const found = () =>
        Array.from({ length: MOST_LINES }, (_, i) => to + i * by)
          .map((line) => element.querySelector<HTMLElement>(`[data-index="${line}"]`))
          .find((each) => each !== null);
      requestAnimationFrame(() => requestAnimationFrame(() => found()?.focus({ preventScroll: true })));
    };
    const onMove = (event: Event) => {
      const { by } = (event as CustomEvent<{ by: number }>).detail;
      const focused = document.activeElement?.closest?.('[data-index]');
      const inside = focused !== null && focused !== undefined && element.contains(focused);
      const current = inside ? Number((focused as HTMLElement).dataset.index) : null;
      const open = element.querySelector<HTMLElement>('[aria-current="true"]')?.dataset.index;
      const from = current ?? (open === undefined ? null : Number(open));
      focusAt(from === null ? Math.floor((element.scrollTop * ratio) / height) : from + by, by);
    };
    const onShow = (event: Event) => {
      const { line } = (event as CustomEvent<{ line: number }>).detail;
      const [top, seen] = [line * height, element.scrollTop * ratio];
      if (top >= seen && top + height * MOST_LINES <= seen + element.clientHeight) return;
      element.scrollTop = Math.max(0, top - element.clientHeight / 3) / ratio;
    };
    window.addEventListener('harness-move', onMove);
    window.addEventListener('harness-show', onShow);
    return () => {
      window.removeEventListener('harness-move', onMove);
      window.removeEventListener('harness-show', onShow);
    };
  }, [height, total, ratio]);
}
