import { randomBytes } from 'node:crypto';
import { Label, loadTimeZone, nextActivation, parseCron, type RayCronJob, type RayJob, UTC } from '@manta/api';
import { resources } from '@manta/kube';
import { failedTo } from '../../cli-error.ts';
import { FIELD_MANAGER } from '../../field-manager.ts';
import type { Invocation } from '../../invocation.ts';
import { ageOf } from '../../output/age.ts';
import { formatObjects, outputFormat } from '../../output/print-objects.ts';
import type { Table } from '../../output/table.ts';
import { explainRead } from '../../resolve-target.ts';
import type { GetFlags } from '../get-flags.ts';
import { showAndWatch } from '../show-and-watch.ts';

/** `cron list`: RayCronJobs with their schedules and next times. */
export async function cronList(call: Invocation, flags: GetFlags): Promise<void> {
  const format = outputFormat(flags.output);
  const namespace = await call.scope(flags.allNamespaces);
  const type = resources.rayCronJobs;
  await showAndWatch(call, flags, { type, namespace }, async () => {
    const client = await call.client();
    const { items } = await client.list(type, { namespace, labelSelector: flags.selector }).catch((error: unknown) => {
      throw failedTo('unable to retrieve RayCronJobs', error);
    });
    const table = () => cronTable(items, flags.allNamespaces === true, call.world.clock.now());
    return formatObjects(format, { type, items, isSingle: false, table });
  });
}

function cronTable(items: readonly RayCronJob[], withNamespace: boolean, now: number): Table {
  const columns = ['Name', 'Schedule', 'Time Zone', 'Suspended', 'Last Run', 'Next Run', 'Age'];
  return {
    columns: [...(withNamespace ? ['Namespace'] : []), ...columns],
    rows: items.map((item) => [
      ...(withNamespace ? [item.metadata?.namespace ?? ''] : []),
      item.metadata?.name ?? '',
      item.spec?.schedule ?? '',
      item.spec?.timeZone ?? '',
      item.spec?.suspend === true ? 'yes' : 'no',
      item.status?.lastScheduleTime === undefined ? 'never' : `${ageOf(item.status.lastScheduleTime, now)} ago`,
      nextRun(item, now),
      ageOf(item.metadata?.creationTimestamp, now),
    ]),
  };
}

/** The next time of a schedule in UTC, as far as this program can tell: without a time zone, the operator's own decides. */
export function nextRun({ spec, status }: RayCronJob, now: number): string {
  if (spec === undefined) return '';
  if (spec.suspend === true) return 'suspended';
  const schedule = parseCron(spec.schedule);
  const zone = spec.timeZone === undefined ? { ok: true as const, value: UTC } : loadTimeZone(spec.timeZone);
  if (!schedule.ok || !zone.ok) return 'invalid';
  const isDelay = schedule.value.kind === 'every';
  const from = isDelay && status?.lastScheduleTime !== undefined ? Date.parse(status.lastScheduleTime) : now;
  const next = nextActivation(schedule.value, from, zone.value);
  if (next === undefined) return 'never';
  return `${new Date(next).toISOString().slice(0, 16).replace('T', ' ')}Z`;
}

/** `cron trigger NAME`: creates a RayJob from a RayCronJob's template now, whatever its schedule says. */
export async function cronTrigger(call: Invocation, name: string, flags: { readonly name?: string }): Promise<void> {
  const namespace = await call.namespace();
  const client = await call.client();
  const cron = await client
    .get(resources.rayCronJobs, { namespace, name })
    .catch(explainRead(client, namespace, { kind: 'raycronjob', name }));
  const job: RayJob = {
    apiVersion: 'ray.io/v1',
    kind: 'RayJob',
    metadata: {
      name: flags.name ?? `${name.slice(0, MAX_PREFIX)}-${randomBytes(3).toString('hex')}`,
      namespace,
      labels: { [Label.CronJobName]: name },
      annotations: { 'cronjob.kubernetes.io/instantiate': 'manual' },
      ownerReferences: [
        { apiVersion: 'ray.io/v1', kind: 'RayCronJob', name, uid: cron.metadata?.uid ?? '', controller: true },
      ],
    },
    spec: cron.spec?.jobTemplate ?? {},
  };
  const created = await client
    .create(resources.rayJobs, job, { fieldManager: FIELD_MANAGER })
    .catch((error: unknown) => {
      throw failedTo(`failed to create a RayJob from raycronjob/${name}`, error);
    });
  call.print(
    `Created rayjob/${created.metadata?.name}. To see its output: kubectl ray job logs ${created.metadata?.name} -f`,
  );
}

const MAX_PREFIX = 36;
