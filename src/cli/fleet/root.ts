/** `harness fleet root`: makes or renews the document that says which keys may sign policy. Offline: it speaks to no hub. */
import { writeFileSync } from 'node:fs';
import {
  metadataDigest,
  parseMetadata,
  type Root,
  rootDocument,
  type Signature,
  type Signed,
  signed,
  signersOf,
} from '../../fleet/index.ts';
import { machineHost } from '../../machine/index.ts';
import { readVerifyingKey } from '../../tape/index.ts';
import { countOf, type Run, UsageError, wholeNumber } from '../../terminal/index.ts';
import { filesOf, jsonFile, signingKeys } from './author-options.ts';

export const run: Run = async (args, output) => {
  const out = args.value('out') ?? 'root.json';
  const keys = signingKeys(args);
  const authors = filesOf(args.value('authors'));
  const hubKey = args.value('hub-key');
  if (authors.length === 0 || hubKey === undefined)
    throw new UsageError(
      'want --authors FILE,… (public keys) and --hub-key FILE (what `harness hub key` prints)',
    );
  const before = await previousRoot(args.value('previous'));
  const rootKeys = filesOf(args.value('root-keys'));
  const threshold = wholeNumber(args, 'threshold', 1) ?? 1;
  if (threshold > authors.length)
    throw new UsageError(`--threshold ${threshold} needs as many authors, got ${authors.length}`);
  const root = rootDocument(
    {
      root: rootKeys.length === 0 ? keys : rootKeys.map(readVerifyingKey),
      authors: authors.map(readVerifyingKey),
      hub: readVerifyingKey(hubKey),
      threshold,
    },
    (before?.signed.version ?? 0) + 1,
    machineHost.now(),
  );
  let signatures: readonly Signature[] = [];
  for (const key of keys) ({ signatures } = signed(root, key, signatures));
  const made: Signed<Root> = { signed: root, signatures };
  if (before !== null && signersOf(before.signed, 'root', made).size === 0)
    throw new UsageError('no --key is a root key of the previous root; its keys sign the next one');
  writeFileSync(out, `${JSON.stringify(made, null, 2)}\n`);
  const digest = metadataDigest(made);
  if (args.has('json')) output.line(JSON.stringify({ file: out, version: root.version, digest }));
  else {
    output.line(
      `${out}: root version ${root.version}, ${countOf(authors.length, 'author')}, ${threshold} must sign`,
    );
    output.line(`Give it to the hub:       harness hub root ${out} --dir DIR`);
    if (before === null)
      output.line(`Machines join with it:    harness fleet join URL --token T --root ${digest}`);
  }
  return 0;
};

async function previousRoot(file: string | undefined): Promise<Signed<Root> | null> {
  return file === undefined ? null : parseMetadata('root', await jsonFile(file));
}
