import { resolve } from 'node:path';
import { runOnEngine } from './start/on-engine.ts';

const HELP = `npm start [-- options]

Brings up a Kubernetes API, the operator and real Ray on this machine (no cluster is needed or touched), runs the sample RayJob and
stays up until Ctrl-C.

  --exit   leave when the sample has ended, with its outcome as exit status
  --help   this text

To run the operator on a cluster instead: bin/manta crds apply, then bin/manta operator.
`;

if (process.argv.includes('--help')) console.log(HELP);
else process.exitCode = await runOnEngine(resolve(import.meta.dirname, '..'), process.argv.includes('--exit'));
