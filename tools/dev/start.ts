import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { runOnEngine } from './start/on-engine.ts';

const HELP = `npm start [-- options]

Brings up a Kubernetes API, the operator and real Ray on this machine (no cluster is needed or touched), runs the sample RayJob and
stays up until Ctrl-C.

  --exit           leave when the sample has ended, with its outcome as exit status
  --sandbox MODE   how pods are kept apart: user, root or none; the best that this machine allows unless told
  --ray-from-tag   run rayproject/ray:2.x.y with exactly that version of Ray, installed when it is first asked for
  --help           this text

To run the operator on a cluster instead: bin/manta crds apply, then bin/manta operator.
`;

try {
  const { values } = parseArgs({
    options: {
      exit: { type: 'boolean' },
      sandbox: { type: 'string' },
      'ray-from-tag': { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  const { exit = false, sandbox, 'ray-from-tag': isFromTag = false, help = false } = values;
  if (help) console.log(HELP);
  else
    process.exitCode = await runOnEngine(resolve(import.meta.dirname, '../..'), exit, [
      ...(sandbox === undefined ? [] : [`--sandbox=${sandbox}`]),
      ...(isFromTag ? ['--ray-from-tag'] : []),
    ]);
} catch (error) {
  console.error(`${error instanceof Error ? error.message : String(error)}\nnpm start -- --help lists the options.`);
  process.exitCode = 1;
}
