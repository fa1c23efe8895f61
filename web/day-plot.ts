/** Bars of decisions by day, stacked, on a canvas. */
import uPlot from 'uplot';
import type { Plots } from '../src/daemon/page/api.ts';

const HEIGHT = 110;
const HALF_DAY = 43_200;
/** So many days are named below the bars. */
const MOST_NAMES = 6;

/** Gives back what takes it away again. */
export function drawDays(
  element: HTMLElement,
  days: Plots['days'],
  names: readonly string[],
  onDay: (day: string) => void,
): () => void {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const times = days.map(({ day }) => Date.parse(`${day}T00:00:00Z`) / 1000);
  // The last is drawn first: each bar stands behind those before it, which are lower.
  const layers = names.map((_, i) => days.map(({ counts }) => sum(counts, names.slice(0, i + 1)))).reverse();
  const step = Math.ceil(times.length / MOST_NAMES);
  const named = times.filter((_, i) => i % step === 0);
  const axis = {
    stroke: colour('quiet'),
    grid: { stroke: colour('line'), width: 1 },
    ticks: { show: false },
    font: '11px system-ui',
  };
  const plot = new uPlot(
    {
      width: element.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
      tzDate: (time) => uPlot.tzDate(new Date(time * 1000), 'Etc/UTC'),
      scales: {
        x: { range: [times[0]! - HALF_DAY, times.at(-1)! + HALF_DAY] },
        y: { range: (_plot, _low, high) => [0, Math.max(1, high)] },
      },
      axes: [
        {
          ...axis,
          size: 22,
          values: (_plot, at) => at.map((time) => new Date(time * 1000).toISOString().slice(5, 10)),
          splits: () => named,
        },
        { ...axis, size: 38 },
      ],
      series: [
        {},
        ...[...names].reverse().map((name) => ({
          fill: colour(name),
          width: 0,
          points: { show: false },
          paths: uPlot.paths.bars!({ size: [0.7, 26] }),
        })),
      ],
    },
    [times, ...layers] as uPlot.AlignedData,
    element,
  );
  plot.over.addEventListener('click', () => {
    const at = plot.cursor.idx;
    if (at !== null && at !== undefined && days[at] !== undefined) onDay(days[at].day);
  });
  return () => plot.destroy();
}

function sum(counts: Readonly<Record<string, number>>, names: readonly string[]): number {
  return names.reduce((all, name) => all + (counts[name] ?? 0), 0);
}
