/** `harness hub token --join`: a one-time token for a machine. */
import { openAdmin } from '../../hub/index.ts';
import { type Arguments, quote, type Run, UsageError } from '../../terminal/index.ts';
import { labelsOf } from '../fleet/labels.ts';
import { hubPlace } from './place.ts';

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const LONGEST_MS = 30 * UNITS.d!;

export const run: Run = async (args, output) => {
  const viewer = args.has('viewer');
  if (args.has('join') === viewer)
    throw new UsageError('want --join, for a machine, or --viewer, for who looks at machines and tapes');
  const [labels, ms] = [labelsOf(args.value('labels')), lifeOf(args)];
  const admin = await openAdmin(hubPlace(args));
  try {
    const token = await (viewer ? admin.createViewerToken(ms) : admin.createJoinToken(labels, ms));
    const expires = new Date(Date.now() + ms).toISOString();
    if (args.has('json')) output.line(JSON.stringify({ token, expires, labels }));
    else if (viewer) {
      output.line(token);
      output.note(`Good until ${expires}: harness fleet machines --hub ${admin.url ?? 'URL'} --token TOKEN`);
    } else {
      output.line(token);
      output.note(`Good for one machine until ${expires}. On that machine:`);
      output.note(`  harness fleet join ${admin.url ?? 'URL'} --token ${token}`);
    }
  } finally {
    await admin.close();
  }
  return 0;
};

function lifeOf(args: Arguments): number {
  const text = args.value('for') ?? '1h';
  const [, count, unit] = /^(\d{1,4})([mhd])$/.exec(text) ?? [];
  const ms = Number(count) * (UNITS[unit ?? ''] ?? Number.NaN);
  if (ms > 0 && ms <= LONGEST_MS) return ms;
  throw new UsageError(`--for wants a time such as 30m, 2h or 7d, at most 30d, got ${quote(text)}`);
}
