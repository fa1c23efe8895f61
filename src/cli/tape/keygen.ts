/**
 * `harness tape keygen`: a pair of keys for signing tapes, the private one for its owner alone.
 */
import { writeKeyPair } from '../../tape/index.ts';
import type { Run } from '../../terminal/index.ts';

export const run: Run = (args, output) => {
  const path = args.positionals[0]!;
  const { name, publicFile } = writeKeyPair(path);
  if (args.has('json')) {
    output.line(JSON.stringify({ key: name, private: path, public: publicFile }));
    return 0;
  }
  output.line(`${path}      signs tapes; keep it to yourself`);
  output.line(`${publicFile}  verifies them; give it to the people who should be able to`);
  output.line(`Its name is ${name}.`);
  return 0;
};
