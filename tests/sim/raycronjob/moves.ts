import type { RayCronJobSpec } from '@manta/api';
import { resources } from '@manta/kube';
import type { Backstage, Move } from '../scenario.ts';
import { quietly } from '../raycluster/quietly.ts';
import { aheadMs, CLOCK } from './operator-clock.ts';
import { asCronJob, createCronJob, CRON_JOBS, isGoing, NAMESPACE, ownerOf, SCHEDULES, STORED } from './stage.ts';

const MINUTE = 60_000;
/** A clock is at most so wrong, or the last time of a schedule would not come within a run. */
const MOST_AHEAD = 20 * MINUTE;

/** What users do to schedules and their RayJobs, and what happens to clocks. */
export const MOVES: Readonly<Record<string, Move>> = {
  suspend: editSpec((spec) => ({ ...spec, suspend: true })),
  resume: editSpec((spec) => ({ ...spec, suspend: false })),
  'change the schedule': editSpec((spec, { choices }) => ({
    ...spec,
    schedule: SCHEDULES[choices.pick(SCHEDULES.length)] ?? spec.schedule,
  })),
  'delete or create a schedule': deleteOrCreate,
  'delete a RayJob': deleteJob,
  'a clock jumps forward': jump(1),
  'a clock jumps back': jump(-1),
};

function editSpec(edit: (spec: RayCronJobSpec, backstage: Backstage) => RayCronJobSpec): Move {
  return async (backstage) => {
    const { api, client, choices } = backstage;
    const found = api.store.list(STORED.cronJobs).filter((object) => !isGoing(object));
    const object = found[choices.pick(found.length)];
    const spec = object === undefined ? undefined : asCronJob(object).spec;
    if (object === undefined || spec === undefined) return;
    await client.update(resources.rayCronJobs, { ...object, spec: edit(spec, backstage) });
  };
}

async function deleteOrCreate(backstage: Backstage): Promise<void> {
  const { api, client, choices } = backstage;
  const name = CRON_JOBS[choices.pick(CRON_JOBS.length)] ?? 'a';
  const ref = { name, namespace: NAMESPACE };
  const exists = api.store.get({ ...ref, resource: STORED.cronJobs }) !== undefined;
  if (exists) await quietly(client.delete(resources.rayCronJobs, ref, { propagation: 'Background' }));
  else await createCronJob(backstage, name);
}

async function deleteJob({ api, client, choices }: Backstage): Promise<void> {
  const jobs = api.store.list(STORED.jobs).filter((job) => ownerOf(job) !== undefined);
  const job = jobs[choices.pick(jobs.length)];
  if (job === undefined) return;
  await quietly(client.delete(resources.rayJobs, { name: job.metadata.name, namespace: NAMESPACE }));
}

function jump(direction: 1 | -1): Move {
  return async ({ api, client, choices }) => {
    const before = api.store.get({ ...CLOCK, resource: STORED.configMaps });
    const wanted = aheadMs(before) + direction * (1 + choices.pick(15)) * MINUTE;
    const data = { ahead: String(Math.max(-MOST_AHEAD, Math.min(MOST_AHEAD, wanted))) };
    if (before === undefined) await client.create(CONFIG_MAPS, { metadata: CLOCK, data });
    else await client.update(CONFIG_MAPS, { ...before, data });
  };
}

const CONFIG_MAPS = { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', isNamespaced: true } as const;
