import { randomUUID } from 'node:crypto';
import { ApiError, systemClock } from '@manta/kube';
import { startEngine } from '@manta/local';

/** An engine on the data directory given, without the operator; says in one JSON line how to reach it and runs until it is killed. */
const [dataDir = ''] = process.argv.slice(2);
const engine = await startEngine({
  world: { clock: systemClock, newUid: randomUUID, random: Math.random },
  dataDir,
  port: 0,
  toError: (call, status) => new ApiError(call, status.code ?? 500, status.message ?? '', status),
});
process.stdout.write(
  `${JSON.stringify({ kubeconfig: engine.kubeconfig({ name: 'admin', groups: ['system:masters'] }) })}\n`,
);
