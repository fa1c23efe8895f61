/**
 * Problems as a person reads them: the place, what is wrong, the line it is on and a caret below.
 */
import { formatPosition, type Problem } from '../base/index.ts';
import type { Style } from './output.ts';

type Paint = (style: Style, text: string) => string;

const STYLE: Record<Problem['severity'], Style> = { error: 'red', warning: 'yellow' };

export function renderProblem(problem: Problem, paint: Paint): string {
  // A path alone means the project's: that of another layer would be looked for in the wrong folder.
  const layer = (problem.layer ?? 'project') === 'project' ? '' : ` (${onOneLine(problem.layer ?? '')})`;
  const place =
    problem.position === null
      ? ''
      : `${paint('bold', onOneLine(formatPosition(problem.position)))}${layer}: `;
  const label = paint(STYLE[problem.severity], `${problem.severity}[${problem.code}]`);
  const message = indented(problem.message, '  ');
  return [`${place}${label}: ${message}`, ...excerptLines(problem, paint)].join('\n');
}

/** A file may have a newline in its name, and what follows it must not pass for a line of ours. */
export function onOneLine(text: string): string {
  return text.replaceAll('\n', '\\n');
}

/** Lines after the first stand behind a margin, so that none of them passes for a line of ours. */
export function indented(text: string, margin: string): string {
  return text.replaceAll('\n', `\n${margin}`);
}

export function countOf(count: number, noun: string, several = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : several}`;
}

/** A window of the line, so that a very long one still shows the place. */
const EXCERPT_WIDTH = 100;

function excerptLines(problem: Problem, paint: Paint): string[] {
  const { position, excerpt } = problem;
  if (position === null || excerpt === undefined || excerpt.trim() === '') return [];
  // Tabs would move the caret away from its column.
  const points = [...excerpt.replaceAll('\t', ' ').replace(/[\u0000-\u001f\u007f-\u009f]/g, '?')];
  const from = position.col > EXCERPT_WIDTH - 10 ? position.col - EXCERPT_WIDTH / 2 : 0;
  const shown = points
    .slice(from, from + EXCERPT_WIDTH)
    .join('')
    .trimEnd();
  const gutter = String(position.line);
  const caret = `${' '.repeat(Math.max(0, position.col - 1 - from))}^`;
  return [
    `  ${paint('dim', `${gutter} |`)} ${shown}`,
    `  ${paint('dim', `${' '.repeat(gutter.length)} |`)} ${paint(STYLE[problem.severity], caret)}`,
  ];
}
