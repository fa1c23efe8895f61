/**
 * `harness model`: the scripted model server, until it is interrupted. One line a request says what answered it, so that a
 * story that goes another way than its author thought is seen at once.
 */
import {
  type ModelServer,
  parseServerScript,
  type RecordedRequest,
  type ServerScript,
  startModelServer,
} from '../agent/index.ts';
import {
  type Arguments,
  countOf,
  type Output,
  quote,
  type Run,
  readText,
  renderProblem,
  UsageError,
  wholeNumber,
} from '../terminal/index.ts';

const LARGEST_PORT = 65_535;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export const run: Run = async (args, output) => {
  const port = portOf(args);
  const record = args.value('record');
  const script = await readScript(args.value('script'), output);
  if (script === null) return 1;
  const report = args.has('json') ? jsonReport(output) : textReport(output, script);
  // Listened for before the address is known, so that nobody can ask too early.
  const interrupted = interruption();
  const server = await startModelServer({
    script,
    ...(port !== undefined && { port }),
    ...(record !== undefined && { record }),
    onRequest: report.request,
  });
  report.started(server);
  await interrupted;
  await server.close();
  report.ended(server);
  return 0;
};

function portOf(args: Arguments): number | undefined {
  const port = wholeNumber(args, 'port', 0);
  if (port === undefined || port <= LARGEST_PORT) return port;
  throw new UsageError(`--port wants a number of at most ${LARGEST_PORT}, got ${port}`);
}

async function readScript(file: string | undefined, output: Output): Promise<ServerScript | null> {
  if (file === undefined) throw new UsageError('model needs --script FILE');
  const parsed = parseServerScript((await readText(file)) ?? '', file === '-' ? 'stdin' : file);
  if (parsed.ok) return parsed.script;
  for (const problem of parsed.problems) output.note(renderProblem(problem, output.paintNote));
  return null;
}

interface Report {
  readonly started: (server: ModelServer) => void;
  readonly request: (request: RecordedRequest) => void;
  readonly ended: (server: ModelServer) => void;
}

function jsonReport(output: Output): Report {
  const print = (data: unknown) => output.line(JSON.stringify(data));
  return {
    started: ({ url, port }) => print({ url, port }),
    request: ({ number, method, path, request, answeredBy, status }) =>
      print({
        number,
        method,
        path,
        dialect: request?.dialect ?? null,
        model: request?.model ?? null,
        answeredBy,
        status,
      }),
    ended: (server) => print({ requests: server.requests().length, unused: server.unused() }),
  };
}

function textReport(output: Output, { completions }: ServerScript): Report {
  return {
    started: ({ url }) => {
      output.line(`listening on ${output.paint('bold', url)} (${countOf(completions.length, 'item')})`);
      output.line(`  ANTHROPIC_BASE_URL=${url}`);
      output.line(`  OPENAI_BASE_URL=${url}/v1`);
      output.line(`  GOOGLE_GEMINI_BASE_URL=${url}`);
    },
    request: (recorded) => {
      const { number, request, method, path, status } = recorded;
      const asked = request === null ? `${method} ${path}` : `${request.dialect} ${quote(request.model)}`;
      output.line(
        `#${number} ${asked}: ${answerText(recorded)}${status === 200 ? '' : `, status ${status}`}`,
      );
    },
    ended: (server) => {
      const unused = server.unused();
      if (unused.length === 0) return;
      const places = unused.map((place) => `completions[${place}]`).join(', ');
      output.note(`${countOf(unused.length, 'item')} answered nothing: ${places}`);
    },
  };
}

function answerText({ answeredBy }: RecordedRequest): string {
  switch (answeredBy.kind) {
    case 'item':
      return `completions[${answeredBy.place}]`;
    case 'side':
      return `a side request (${answeredBy.rule})`;
    case 'no-item':
      return 'the script has no item for it';
    case 'service':
      return 'answered';
    case 'refused':
      return answeredBy.reason;
  }
}

/** Resolves at the first signal; a second one ends the process as it usually does. */
function interruption(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of SIGNALS) process.once(signal, () => resolve());
  });
}
