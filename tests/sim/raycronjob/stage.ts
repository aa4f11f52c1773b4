import {
  Annotation,
  type CustomResourceDefinition,
  Label,
  type RayCronJob,
  type RayCronJobSpec,
  type RayJob,
} from '@manta/api';
import { rayClusterSpec } from '@manta/api/testing';
import { crds } from '@manta/api/crds';
import type { ServedResource, StoredObject } from '@manta/apiserver';
import { resources } from '@manta/kube';
import { servedDefinition } from '../../../packages/apiserver/src/registry/served-definition.ts';
import type { Choices } from '../choices.ts';
import { lightResource } from '../light-server.ts';
import type { Backstage } from '../scenario.ts';

/** Where everything happens. */
export const NAMESPACE = 'default';
export const CRON_JOBS = ['a', 'b'] as const;

/** What the store calls them. */
export const STORED = { cronJobs: 'ray.io/raycronjobs', jobs: 'ray.io/rayjobs', configMaps: '/configmaps' } as const;

/** RayJobs that carry the label of a schedule and are not its own. */
export const STRANGERS = ['stranger', 'a-29453761-lookalike'] as const;

/** All times lie in the first hour of the simulation: afterwards there is rest. */
export const SCHEDULES = ['* 0 1 1 *', '*/5 0 1 1 *', '7-50/3 0 1 1 *', '0,30 0 1 1 *'] as const;
export const LAST_TICK = Date.UTC(2026, 0, 1, 1);

/** Both kinds in their current version, with templates left open: checking those takes most of a run's time. */
const SERVED = ['RayCronJob', 'RayJob'].map((kind) => lightResource(servedDefinition(opened(kind)) as ServedResource));

function opened(kind: string): CustomResourceDefinition {
  const definition = crds().find(({ spec }) => spec.names.kind === kind);
  const versions = definition?.spec.versions.filter(({ storage }) => storage);
  const text = JSON.stringify({ ...definition, spec: { ...definition?.spec, versions } }, (key, value: unknown) =>
    key === 'jobTemplate' || key === 'rayClusterSpec'
      ? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
      : value,
  );
  return JSON.parse(text) as CustomResourceDefinition;
}

/** A namespace with one or two schedules and two strangers in it. */
export async function prepare(backstage: Backstage): Promise<void> {
  const { api, client, choices } = backstage;
  await client.create(resources.namespaces, { metadata: { name: NAMESPACE } });
  for (const resource of SERVED) api.registry.serve(resource);
  const names = choices.chance(0.3) ? CRON_JOBS : CRON_JOBS.slice(0, 1);
  for (const name of names) await createCronJob(backstage, name);
  for (const name of STRANGERS) {
    const metadata = { name, namespace: NAMESPACE, labels: { [Label.CronJobName]: 'a' } };
    await client.create(resources.rayJobs, { metadata, spec: { entrypoint: 'x' } });
  }
}

export async function createCronJob({ client, choices }: Backstage, name: string): Promise<void> {
  const object: RayCronJob = { metadata: { name, namespace: NAMESPACE }, spec: randomSpec(choices) };
  await client.create(resources.rayCronJobs, object);
}

/** Policies stay as they are for a schedule's whole life, so that promises can be held against them. */
function randomSpec(choices: Choices): RayCronJobSpec {
  const policies = ['Allow', 'Forbid', 'Replace'] as const;
  const policy = choices.chance(0.5) ? policies[choices.pick(3)] : undefined;
  return {
    schedule: SCHEDULES[choices.pick(SCHEDULES.length)] ?? SCHEDULES[0],
    timeZone: 'UTC',
    jobTemplate: { entrypoint: 'x', rayClusterSpec: rayClusterSpec() },
    ...(policy === undefined ? {} : { concurrencyPolicy: policy }),
    ...(choices.chance(0.3) ? { startingDeadlineSeconds: 300 } : {}),
    ...(choices.chance(0.3) ? { successfulJobsHistoryLimit: choices.pick(3), failedJobsHistoryLimit: 1 } : {}),
  };
}

/** What is stored as a RayCronJob is one: the server has checked it. */
export function asCronJob(object: StoredObject): RayCronJob & StoredObject {
  return object;
}

/** As above, for RayJobs. */
export function asJob(object: StoredObject): RayJob & StoredObject {
  return object;
}

/** The schedule that made a RayJob, by uid. */
export function ownerOf({ metadata }: StoredObject): string | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid;
}

/** The time that a RayJob was made for. */
export function tickOf({ metadata }: StoredObject): number {
  return Date.parse(metadata.annotations?.[Annotation.CronJobScheduledTimestamp] ?? '');
}

export function hasEnded(object: StoredObject): boolean {
  const status = asJob(object).status?.jobDeploymentStatus;
  return status === 'Complete' || status === 'Failed';
}

export function isGoing({ metadata }: StoredObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}
