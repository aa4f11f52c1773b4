import { Label, type RayJob } from '@manta/api';
import { type RayKind, rayPath, send } from './api.ts';
import type { RayObject } from './store.ts';

const MAX_PREFIX = 36;

function suffix(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(3)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The object as the API server has it: the stream's copy may be a moment old. */
async function readSpec(kind: RayKind, { metadata }: RayObject): Promise<Record<string, unknown>> {
  const answer = await send(rayPath(kind, metadata?.namespace ?? '', metadata?.name ?? ''));
  const { spec }: { readonly spec?: Record<string, unknown> } = await answer.json();
  return spec ?? {};
}

async function create(job: RayJob): Promise<string> {
  const path = rayPath('RayJob', job.metadata?.namespace ?? '', '');
  await send(`${path.replace(/\/$/, '')}?fieldManager=manta-console`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(job),
  });
  return job.metadata?.name ?? '';
}

/** Creates a RayJob with the spec of one that has ended; returns its name. */
export async function retryJob(job: RayObject): Promise<string> {
  const { jobId: _, suspend: __, ...spec } = await readSpec('RayJob', job);
  const { name = '', namespace = '' } = job.metadata ?? {};
  const base = name.replace(/-retry-[0-9a-f]{6}$/, '').slice(0, MAX_PREFIX);
  return await create({
    apiVersion: 'ray.io/v1',
    kind: 'RayJob',
    metadata: { name: `${base}-retry-${suffix()}`, namespace },
    spec,
  });
}

/** Creates a RayJob from a RayCronJob's template now, like `kubectl ray cron trigger`; returns its name. */
export async function triggerCron(cron: RayObject): Promise<string> {
  const { jobTemplate } = await readSpec('RayCronJob', cron);
  const { name = '', namespace = '', uid = '' } = cron.metadata ?? {};
  return await create({
    apiVersion: 'ray.io/v1',
    kind: 'RayJob',
    metadata: {
      name: `${name.slice(0, MAX_PREFIX)}-${suffix()}`,
      namespace,
      labels: { [Label.CronJobName]: name },
      annotations: { 'cronjob.kubernetes.io/instantiate': 'manual' },
      ownerReferences: [{ apiVersion: 'ray.io/v1', kind: 'RayCronJob', name, uid, controller: true }],
    },
    spec: typeof jobTemplate === 'object' && jobTemplate !== null ? jobTemplate : {},
  });
}
