/** Which store the actions of `harness hub` mean. */
import { resolve } from 'node:path';
import type { HubPlace } from '../../hub/index.ts';
import { machineHost } from '../../machine/index.ts';
import { type Arguments, UsageError } from '../../terminal/index.ts';

export function hubPlace(args: Arguments): HubPlace {
  const [dir, db] = [args.value('dir'), args.value('db')];
  if (dir !== undefined && db !== undefined) throw new UsageError('want --dir or --db, got both');
  if (dir !== undefined) return { dir: resolve(dir) };
  const url = db ?? machineHost.env('HARNESS_HUB_DB');
  if (url) return { db: url };
  throw new UsageError('want --dir DIR for the embedded store, or --db postgres://… (or HARNESS_HUB_DB)');
}

/** As somebody types it, to name the same store again. The password of a database is not repeated. */
export function placeOption(place: HubPlace): string {
  return 'dir' in place ? `--dir ${place.dir}` : '--db URL';
}
