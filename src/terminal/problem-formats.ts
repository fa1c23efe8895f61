/**
 * Problems as programs read them: SARIF 2.1.0 for code scanning, and the workflow commands that GitHub turns into notes
 * beside the line.
 */
import { ERRORS, type Problem } from '../base/index.ts';

/** Set when the command is built. */
declare const HARNESS_VERSION: string;

export const PROBLEM_FORMATS = ['text', 'json', 'sarif', 'github'] as const;
export type ProblemFormat = (typeof PROBLEM_FORMATS)[number];

const LEVELS = { error: 'error', warning: 'warning' } as const;

export function sarifOf(problems: readonly Problem[]): unknown {
  const codes = [...new Set(problems.map(({ code }) => code))].sort();
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'harness',
            version: HARNESS_VERSION,
            rules: codes.map((code) => ({
              id: code,
              shortDescription: { text: ERRORS[code].means },
              help: { text: ERRORS[code].fix },
            })),
          },
        },
        // Columns count code points, as everywhere in a report.
        columnKind: 'unicodeCodePoints',
        results: problems.map((problem) => ({
          ruleId: problem.code,
          ruleIndex: codes.indexOf(problem.code),
          level: LEVELS[problem.severity],
          message: { text: problem.message },
          locations: locationsOf(problem),
        })),
      },
    ],
  };
}

function locationsOf({ position }: Problem): unknown[] {
  if (position === null) return [];
  const { file, line, col } = position;
  const uri = file.split('/').map(encodeURIComponent).join('/');
  return [{ physicalLocation: { artifactLocation: { uri }, region: { startLine: line, startColumn: col } } }];
}

/** `::error file=…,line=…,col=…,title=CODE::message` */
export function githubLine({ severity, code, message, position }: Problem): string {
  const place =
    position === null ? '' : `file=${property(position.file)},line=${position.line},col=${position.col},`;
  return `::${severity} ${place}title=${code}::${data(message)}`;
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
