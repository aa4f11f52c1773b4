import { Annotation, Label, OriginCrd, type RayCluster, type RayService } from '@manta/api';
import { resources } from '@manta/kube';
import { CliError, failedTo } from '../../cli-error.ts';
import { FIELD_MANAGER } from '../../field-manager.ts';
import type { Invocation } from '../../invocation.ts';
import { ageOf } from '../../output/age.ts';
import { tableLines } from '../../output/table.ts';
import { labelOf } from '../../resolve-target.ts';
import { readService, targetOf } from './rollout.ts';

/** A cluster that the operator created for a RayService, newest first; each stands for a revision of its spec. */
interface Revision {
  readonly cluster: RayCluster;
  readonly role: 'active' | 'pending' | 'former';
  readonly traffic: number | undefined;
}

/** `rollout history`: the clusters of a RayService that still exist. The operator deletes former clusters after a while. */
export async function rolloutHistory(call: Invocation, text: string): Promise<void> {
  const { namespace, name } = await serviceOf(call, text);
  const service = await readService(call, namespace, name);
  const revisions = await revisionsOf(call, namespace, service);
  const now = call.world.clock.now();
  const rows = revisions.map(({ cluster, role, traffic }) => [
    cluster.metadata?.name ?? '',
    role,
    traffic === undefined ? '' : `${traffic} %`,
    cluster.spec?.rayVersion ?? '',
    cluster.spec?.headGroupSpec.template.spec?.containers[0]?.image ?? '',
    (cluster.metadata?.annotations?.[Annotation.SpecHash] ?? '').slice(0, HASH_SHOWN),
    ageOf(cluster.metadata?.creationTimestamp, now),
  ]);
  call.print(tableLines({ columns: ['Cluster', 'Role', 'Traffic', 'Ray', 'Image', 'Spec', 'Age'], rows }).join('\n'));
}

const HASH_SHOWN = 11;

/**
 * `rollout undo`: gives a RayService the cluster spec of its active cluster while an upgrade is under way, else that of a former cluster
 * that still exists. The Serve configuration stays.
 */
export async function rolloutUndo(
  call: Invocation,
  text: string,
  flags: { readonly toCluster?: string },
): Promise<void> {
  const { namespace, name } = await serviceOf(call, text);
  const service = await readService(call, namespace, name);
  const revisions = await revisionsOf(call, namespace, service);
  const goal = chooseGoal(revisions, flags.toCluster, name);
  const { suspend: _, ...spec } = goal.spec ?? { headGroupSpec: { template: {} } };
  if (service.spec === undefined) throw new CliError(`rayservice/${name} has no spec`);
  const client = await call.client();
  await client
    .update(
      resources.rayServices,
      { ...service, spec: { ...service.spec, rayClusterConfig: spec } },
      { fieldManager: FIELD_MANAGER },
    )
    .catch((error: unknown) => {
      throw failedTo(`failed to change rayservice/${name}`, error);
    });
  call.print(
    `rayservice/${name} returns to the spec of cluster ${goal.metadata?.name}. To wait for it: kubectl ray rollout status rayservice/${name}`,
  );
}

function chooseGoal(revisions: readonly Revision[], named: string | undefined, service: string): RayCluster {
  if (named !== undefined) {
    const found = revisions.find(({ cluster }) => cluster.metadata?.name === named);
    if (found !== undefined) return found.cluster;
    const names = revisions.map(({ cluster }) => cluster.metadata?.name).join(', ');
    throw new CliError(`rayservice/${service} has no cluster ${named}. It has: ${names || 'none'}.`);
  }
  const isUpgrading = revisions.some(({ role }) => role === 'pending');
  const goal = revisions.find(({ role }) => role === (isUpgrading ? 'active' : 'former'));
  if (goal !== undefined) return goal.cluster;
  throw new CliError(
    `rayservice/${service} has no former cluster to return to: the operator deletes it after spec.rayClusterDeletionDelaySeconds. Apply the former manifest instead.`,
  );
}

async function serviceOf(
  call: Invocation,
  text: string,
): Promise<{ readonly namespace: string; readonly name: string }> {
  const { namespace, target } = await targetOf(call, text);
  if (target.kind !== 'rayservice')
    throw new CliError(
      `${labelOf(target)} has no revisions: only a RayService has. Apply the former manifest instead.`,
    );
  return { namespace, name: target.name };
}

async function revisionsOf(call: Invocation, namespace: string, service: RayService): Promise<readonly Revision[]> {
  const name = service.metadata?.name ?? '';
  const labelSelector = `${Label.OriginatedFromCrName}=${name},${Label.OriginatedFromCrd}=${OriginCrd.RayService}`;
  const client = await call.client();
  const { items } = await client.list(resources.rayClusters, { namespace, labelSelector }).catch((error: unknown) => {
    throw failedTo(`unable to list the clusters of rayservice/${name}`, error);
  });
  const { activeServiceStatus: active, pendingServiceStatus: pending } = service.status ?? {};
  return items
    .toSorted((a, b) => (b.metadata?.creationTimestamp ?? '').localeCompare(a.metadata?.creationTimestamp ?? ''))
    .map((cluster) => {
      const side = [active, pending].find((one) => one?.rayClusterName === cluster.metadata?.name);
      const role = side === undefined ? 'former' : side === active ? 'active' : 'pending';
      return { cluster, role, traffic: side?.trafficRoutedPercent };
    });
}
