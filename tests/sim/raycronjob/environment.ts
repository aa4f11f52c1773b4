import { CONTROLLERS, startController } from '@manta/controllers';
import { type StoreEvent } from '@manta/apiserver';
import type { Backstage } from '../scenario.ts';
import { asJob, NAMESPACE, STORED } from './stage.ts';

/** How long RayJobs run: from less than a minute to half an hour of the operator's time. */
const RUN_MS = [100, 2_000, 10_000, 30_000];

/** A garbage collector, and RayJobs that end. */
export function environment(backstage: Backstage): void {
  const { api, client, clock } = backstage;
  const cluster = {
    world: { clock, newUid: () => '', random: () => 0.5 },
    store: api.store,
    writes: client,
    resources: () => api.registry.all().map(({ info }) => info),
  };
  startController(cluster, CONTROLLERS['garbage-collector'](cluster));
  api.store.watch(api.store.revision, (event) => followJob(backstage, event), STORED.jobs);
}

function followJob({ api, clock, choices }: Backstage, { type, object }: StoreEvent): void {
  if (type !== 'ADDED') return;
  const key = { resource: STORED.jobs, namespace: NAMESPACE, name: object.metadata.name };
  const jobDeploymentStatus = choices.chance(0.3) ? 'Failed' : 'Complete';
  clock.setTimer(RUN_MS[choices.pick(RUN_MS.length)] ?? 0, () => {
    const job = api.store.get(key);
    if (job === undefined || job.metadata.uid !== object.metadata.uid) return;
    api.store.update(key, { ...job, status: { ...asJob(job).status, jobDeploymentStatus } });
  });
}
