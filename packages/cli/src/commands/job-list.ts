import type { RayJob } from '@manta/api';
import { resources } from '@manta/kube';
import { failedTo } from '../cli-error.ts';
import type { Invocation } from '../invocation.ts';
import { ageOf } from '../output/age.ts';
import { formatObjects, outputFormat } from '../output/print-objects.ts';
import type { Table } from '../output/table.ts';
import type { GetFlags } from './get-flags.ts';
import { showAndWatch } from './show-and-watch.ts';

/** `job list`: RayJobs, with Ray's status, the operator's, and why a job failed. */
export async function jobList(call: Invocation, flags: GetFlags): Promise<void> {
  const format = outputFormat(flags.output);
  const namespace = await call.scope(flags.allNamespaces);
  await showAndWatch(call, flags, { type: resources.rayJobs, namespace }, async () => {
    const client = await call.client();
    const { items } = await client
      .list(resources.rayJobs, { namespace, labelSelector: flags.selector })
      .catch((error: unknown) => {
        throw failedTo('unable to retrieve Ray jobs', error);
      });
    const table = (isWide: boolean) => jobTable(items, flags.allNamespaces === true, isWide, call.world.clock.now());
    return formatObjects(format, { type: resources.rayJobs, items, isSingle: false, table });
  });
}

function jobTable(jobs: readonly RayJob[], withNamespace: boolean, isWide: boolean, now: number): Table {
  const columns = ['Name', 'Job Status', 'Deployment Status', 'Cluster', 'Attempts', 'Reason', 'Age'];
  return {
    columns: [...(withNamespace ? ['Namespace'] : []), ...columns, ...(isWide ? ['Job ID', 'Message'] : [])],
    rows: jobs.map(({ metadata, status }) => [
      ...(withNamespace ? [metadata?.namespace ?? ''] : []),
      metadata?.name ?? '',
      status?.jobStatus ?? '',
      status?.jobDeploymentStatus ?? '',
      status?.rayClusterName ?? '',
      String(status?.attempts?.length ?? (status?.failed ?? 0) + (status?.succeeded ?? 0)),
      status?.reason ?? '',
      ageOf(metadata?.creationTimestamp, now),
      ...(isWide ? [status?.jobId ?? '', oneLine(status?.message ?? '')] : []),
    ]),
  };
}

const SHOWN = 80;

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= SHOWN ? line : `${line.slice(0, SHOWN)}…`;
}
