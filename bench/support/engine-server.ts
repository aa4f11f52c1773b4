import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startEngine } from '@manta/local';
import { ApiError, systemClock } from '@manta/kube';

/**
 * The engine without the operator, on the data directory given; says so in a JSON line when it serves. Without the scheduler too, as the
 * control plane that it is compared with has none: pods that nobody can place would keep it busy.
 */
const [dataDir = ''] = process.argv.slice(2);
const engine = await startEngine({
  world: { clock: systemClock, newUid: randomUUID, random: Math.random },
  dataDir,
  port: 0,
  withoutControllers: ['scheduler'],
  toError: (call, status) => new ApiError(call, status.code ?? 500, status.message ?? '', status),
});
const kubeconfig = join(dataDir, 'kubeconfig');
writeFileSync(kubeconfig, engine.kubeconfig({ name: 'admin', groups: ['system:masters'] }));
console.log(JSON.stringify({ kubeconfig }));
