/**
 * Collects the problems of one file, each with its place and the line it is on.
 */
import { type ErrorCode, type Problem, SourceFile } from '../base/index.ts';

const FEW_CHARACTERS = 80;
const LINE_FEED = 10;

export class FileReport {
  readonly source: SourceFile;
  readonly problems: Problem[] = [];

  /** `text` is empty for a file that could not be read. */
  constructor(file: string, text: string) {
    this.source = new SourceFile(file, text);
  }

  get failed(): boolean {
    return this.failedSince(0);
  }

  /** Most files are asked once, for where their front matter begins: that needs no table of all their lines. */
  lineOf(offset: number): number {
    if (offset > FEW_CHARACTERS) return this.source.position(offset).line;
    const { text } = this.source;
    let line = 1;
    for (let at = 0; at < offset; at++) if (text.charCodeAt(at) === LINE_FEED) line++;
    return line;
  }

  /** The first error after the first `from` problems; where there is none, the last thing that was said. */
  firstError(from = 0): Problem {
    return this.problems.slice(from).find(({ severity }) => severity === 'error') ?? this.problems.at(-1)!;
  }

  failedSince(from: number): boolean {
    return this.problems.slice(from).some(({ severity }) => severity === 'error');
  }

  /** A message as the parser of YAML words it; `parsing` is `parse hook command_guard.md`. */
  inYaml(parsing: string, message: string, offset: number): string {
    return `${parsing}: yaml: line ${this.lineOf(offset)}: ${message}`;
  }

  error(code: ErrorCode, message: string, offset: number): Problem {
    return this.add('error', code, message, offset);
  }

  warning(code: ErrorCode, message: string, offset: number): Problem {
    return this.add('warning', code, message, offset);
  }

  /** For a problem that already knows its place, as those of the script do. */
  at(
    code: ErrorCode,
    message: string,
    position: { line: number; col: number },
    severity: Problem['severity'] = 'error',
  ): Problem {
    return this.push({
      severity,
      code,
      message,
      position: { file: this.source.name, line: position.line, col: position.col },
      excerpt: this.source.text.split('\n')[position.line - 1] ?? '',
    });
  }

  private add(severity: Problem['severity'], code: ErrorCode, message: string, offset: number): Problem {
    const { text } = this.source;
    const start = offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
    const end = text.indexOf('\n', offset);
    const excerpt = text.slice(start, end === -1 ? text.length : end);
    return this.push({ severity, code, message, position: this.source.position(offset), excerpt });
  }

  private push(problem: Problem): Problem {
    this.problems.push(problem);
    return problem;
  }
}
