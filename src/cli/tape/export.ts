/**
 * `harness tape export --jsonl`: everything on the tapes of a folder for other programs, one JSON object a line: decisions with
 * what each hook said, and whatever else happened. Each line names its tape and its entry; payloads come whole. With `--otlp URL` they
 * go to a collector, see export-otlp.ts.
 */
import { HarnessError } from '../../base/index.ts';
import { findTapes, progressOf, sinceOf, storyData } from '../../project/index.ts';
import { type Chapter, chapters, readTape } from '../../tape/index.ts';
import { type Run, UsageError } from '../../terminal/index.ts';

export const run: Run = async (args, output) => {
  if (args.has('otlp') === args.has('jsonl'))
    throw new UsageError('tape export wants one form: --jsonl, or --otlp URL');
  if (args.has('otlp')) return (await import('./export-otlp.ts')).exportOtlp(args, output);
  const { files } = findTapes(args.positionals[0]);
  const since = sinceOf(args);
  const progress = progressOf('reading', output);
  let broken = 0;
  for (const [i, file] of files.entries()) {
    if (output.closed) break;
    progress(i, files.length);
    try {
      const { header, entries } = readTape(file);
      const { session, host, started } = header;
      for (const chapter of chapters(entries)) {
        // A tape without times is as old as its beginning.
        if ((timeOf(chapter) ?? Date.parse(started)) < since) continue;
        output.line(JSON.stringify({ tape: file, session, host, ...dataOf(chapter) }));
      }
    } catch (thrown) {
      if (!(thrown instanceof HarnessError)) throw thrown;
      broken++;
      output.note(`${output.paintNote('red', 'broken')}: ${thrown.message}`);
    }
  }
  return broken === 0 ? 0 : 1;
};

function timeOf(chapter: Chapter): number | undefined {
  return chapter.kind === 'decision' ? chapter.story.dispatch.at : chapter.entry.at;
}

function dataOf(chapter: Chapter): Record<string, unknown> {
  if (chapter.kind === 'decision') return { kind: 'decision', ...storyData(chapter.story) };
  const { seq, record, at = null } = chapter.entry;
  return { kind: record.kind, seq, at, data: record.data };
}
