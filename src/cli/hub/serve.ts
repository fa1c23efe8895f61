/** `harness hub serve`: listens until it is interrupted, and says where it is and how a machine joins. */
import { launcher } from '../../agents/index.ts';
import { DEFAULT_PORT } from '../../fleet/index.ts';
import { serveHub } from '../../hub/index.ts';
import { judgeWebhookUrl } from '../../machine/index.ts';
import { type Run, UsageError, wholeNumber } from '../../terminal/index.ts';
import { hubPlace, placeOption } from './place.ts';

export const run: Run = async (args, output) => {
  const place = hubPlace(args);
  const otlp = args.value('otlp');
  const judged = otlp === undefined ? null : judgeWebhookUrl(otlp);
  if (judged !== null && !judged.ok) throw new UsageError(`--otlp: ${judged.message}`);
  const onChange = (problem: string | null) =>
    output.note(problem === null ? 'hub: the collector answers again' : `hub: decisions wait: ${problem}`);
  const hub = await serveHub({
    place,
    host: args.value('host') ?? '127.0.0.1',
    port: wholeNumber(args, 'port', 0) ?? DEFAULT_PORT,
    ...(args.has('no-page')
      ? {}
      : {
          page: {
            port: wholeNumber(args, 'page-port', 0) ?? 0,
            entry: launcher().entry,
            open: 'harness hub page',
          },
        }),
    ...(judged && { collector: { address: judged.url, onChange } }),
    onError: (error) => output.note(`hub: ${error instanceof Error ? error.stack : String(error)}`),
  });
  if (args.has('json'))
    output.line(JSON.stringify({ url: hub.url, store: hub.store, pid: process.pid, page: hub.pageLink() }));
  else {
    output.line(`Hub on ${output.paint('bold', hub.url)}, record in ${hub.store}`);
    const link = hub.pageLink();
    if (link !== null) {
      output.line(`The page: ${link}`);
      output.line('  it opens once, within a minute; `harness hub page` prints another');
    }
    output.line('To add a machine:');
    output.line(`  harness hub token --join ${placeOption(place)}     here, for a one-time token`);
    output.line(`  harness fleet join ${hub.url} --token TOKEN     on the machine`);
    output.line('Plain HTTP on loopback: machines elsewhere reach it through a proxy with TLS.');
  }
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
  await hub.close();
  return 0;
};
