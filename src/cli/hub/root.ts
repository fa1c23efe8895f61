/** `harness hub root FILE`: gives the hub the document that says which authors it takes policy from. */
import { openAdmin } from '../../hub/index.ts';
import type { Run } from '../../terminal/index.ts';
import { jsonFile } from '../fleet/author-options.ts';
import { hubPlace } from './place.ts';

export const run: Run = async (args, output) => {
  const root = await jsonFile(args.positionals[0]!);
  const admin = await openAdmin(hubPlace(args));
  try {
    const version = await admin.addRoot(root);
    output.line(args.has('json') ? JSON.stringify({ version }) : `The hub has root version ${version}.`);
  } finally {
    await admin.close();
  }
  return 0;
};
