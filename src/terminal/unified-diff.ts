/** Two texts as a unified diff, for `--print`: what a person or `patch` reads. */

const CONTEXT = 3;
/** Beyond this the middle is shown as one replacement: the table would be too large. */
const MAX_CELLS = 4_000_000;

interface Line {
  readonly mark: ' ' | '-' | '+';
  readonly text: string;
}

/** Null stands for a file that is not there. Empty if both are the same. */
export function unifiedDiff(file: string, before: string | null, after: string | null): string {
  if (before === after) return '';
  const lines = diffLines(linesOf(before), linesOf(after));
  const name = (text: string | null) => (text === null ? '/dev/null' : file);
  return [`--- ${name(before)}`, `+++ ${name(after)}`, ...hunks(lines)].join('\n');
}

/** With their line ends, so that a change of those shows too. */
function linesOf(text: string | null): string[] {
  return text === null || text === '' ? [] : (text.match(/[^\n]*\n|[^\n]+$/g) ?? []);
}

function diffLines(before: readonly string[], after: readonly string[]): Line[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  let tail = 0;
  const most = Math.min(before.length, after.length) - head;
  while (tail < most && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  const same = (lines: readonly string[]): Line[] => lines.map((text) => ({ mark: ' ', text }));
  return [
    ...same(before.slice(0, head)),
    ...middle(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...same(before.slice(before.length - tail)),
  ];
}

/** By the longest common subsequence. */
function middle(before: readonly string[], after: readonly string[]): Line[] {
  const [rows, columns] = [before.length, after.length];
  const removed = (text: string): Line => ({ mark: '-', text });
  const added = (text: string): Line => ({ mark: '+', text });
  if (rows * columns > MAX_CELLS) return [...before.map(removed), ...after.map(added)];
  const length = Array.from({ length: rows + 1 }, () => new Uint32Array(columns + 1));
  for (let i = rows - 1; i >= 0; i--) {
    for (let j = columns - 1; j >= 0; j--) {
      length[i]![j] =
        before[i] === after[j]
          ? length[i + 1]![j + 1]! + 1
          : Math.max(length[i + 1]![j]!, length[i]![j + 1]!);
    }
  }
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < rows || j < columns) {
    if (i < rows && j < columns && before[i] === after[j]) {
      lines.push({ mark: ' ', text: before[i++]! });
      j++;
    } else if (i < rows && (j === columns || length[i + 1]![j]! >= length[i]![j + 1]!)) {
      lines.push(removed(before[i++]!));
    } else lines.push(added(after[j++]!));
  }
  return lines;
}

function hunks(lines: readonly Line[]): string[] {
  const shown = lines.map((_, at) =>
    lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(({ mark }) => mark !== ' '),
  );
  const out: string[] = [];
  let [old, now] = [1, 1];
  for (let at = 0; at < lines.length; ) {
    if (!shown[at]) {
      old++;
      now++;
      at++;
      continue;
    }
    const end = shown.indexOf(false, at);
    const hunk = lines.slice(at, end === -1 ? lines.length : end);
    const olds = hunk.filter(({ mark }) => mark !== '+').length;
    const news = hunk.filter(({ mark }) => mark !== '-').length;
    out.push(`@@ -${olds === 0 ? old - 1 : old},${olds} +${news === 0 ? now - 1 : now},${news} @@`);
    for (const { mark, text } of hunk) {
      const whole = text.endsWith('\n');
      out.push(`${mark}${whole ? text.slice(0, -1) : text}`);
      if (!whole) out.push('\\ No newline at end of file');
    }
    old += olds;
    now += news;
    at += hunk.length;
  }
  return out;
}
