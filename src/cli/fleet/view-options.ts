/** Which hub somebody looks at, and with which token. */
import { HubView } from '../../fleet/index.ts';
import { machineHost } from '../../machine/index.ts';
import { type Arguments, UsageError } from '../../terminal/index.ts';
import { hubOf } from './author-options.ts';

export function hubView(args: Arguments): HubView {
  const token = args.value('token') ?? machineHost.env('HARNESS_HUB_TOKEN');
  if (!token)
    throw new UsageError(
      'want --token T (or HARNESS_HUB_TOKEN); make one where the hub runs: harness hub token --viewer',
    );
  return new HubView(hubOf(args), token);
}
