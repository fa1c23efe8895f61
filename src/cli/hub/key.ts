/** `harness hub key`: the public key with which the hub says what is current. The root of the policy names it. */
import { openAdmin } from '../../hub/index.ts';
import type { Run } from '../../terminal/index.ts';
import { hubPlace } from './place.ts';

export const run: Run = async (args, output) => {
  const admin = await openAdmin(hubPlace(args));
  try {
    const key = await admin.policyKey();
    output.line(args.has('json') ? JSON.stringify({ key }) : key.trimEnd());
  } finally {
    await admin.close();
  }
  return 0;
};
