import type { KubeObject } from '@manta/api';
import { isForbidden, type KubeClient, type ResourceType, resources } from '@manta/kube';
import type { Invocation } from '../invocation.ts';
import { ageOf } from '../output/age.ts';
import { tableLines } from '../output/table.ts';
import { clusterOf } from '../head-pod.ts';
import { parseTarget, type RayKind } from '../target.ts';

const KINDS: readonly RayKind[] = ['raycluster', 'rayjob', 'rayservice', 'raycronjob'];

interface EventObject extends KubeObject {
  readonly type?: string;
  readonly reason?: string;
  readonly note?: string;
  readonly eventTime?: string | null;
  readonly deprecatedLastTimestamp?: string | null;
  readonly deprecatedCount?: number;
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string };
  readonly regarding?: { readonly kind?: string; readonly name?: string };
}

/** `events (NAME | TYPE/NAME)`: events of an object, of its cluster and of its pods in one table, oldest first. */
export async function events(call: Invocation, text: string): Promise<void> {
  const target = parseTarget(text, KINDS);
  const namespace = await call.namespace();
  const client = await call.client();
  const clusterName = target.kind === 'raycronjob' ? '' : (await clusterOf(client, namespace, target)).clusterName;
  const eventType: ResourceType<EventObject> = resources.events;
  const { items } = await client.list(eventType, { namespace });
  const others = await longerNames(client, namespace, clusterName);
  const isOfCluster = (name: string) => isBelow(name, clusterName) && !others.some((other) => isBelow(name, other));
  const isOurs = ({ regarding }: EventObject) =>
    (regarding?.kind?.toLowerCase() === target.kind && regarding.name === target.name) ||
    (clusterName !== '' && isOfCluster(regarding?.name ?? ''));
  const now = call.world.clock.now();
  const rows = items
    .filter(isOurs)
    .toSorted((a, b) => (timeOf(a) ?? '').localeCompare(timeOf(b) ?? ''))
    .map((event) => [
      ageOf(timeOf(event), now),
      event.type ?? '',
      event.reason ?? '',
      String(event.series?.count ?? event.deprecatedCount ?? 1),
      `${event.regarding?.kind?.toLowerCase()}/${event.regarding?.name}`,
      (event.note ?? '').replaceAll(/\s+/g, ' ').trim(),
    ]);
  if (rows.length === 0) call.say(`No events for ${target.kind}/${target.name}. Kubernetes keeps events for an hour.`);
  else
    call.print(tableLines({ columns: ['Last Seen', 'Type', 'Reason', 'Count', 'Object', 'Message'], rows }).join('\n'));
}

/** Whether a name is that of a cluster, or of one of its pods and Services. */
function isBelow(name: string, clusterName: string): boolean {
  return name === clusterName || name.startsWith(`${clusterName}-`);
}

/** Clusters whose names begin with that of this one: the names of their pods do as well. None where the user may not list clusters. */
async function longerNames(client: KubeClient, namespace: string, clusterName: string): Promise<readonly string[]> {
  if (clusterName === '') return [];
  const { items } = await client
    .list(resources.rayClusters, { namespace, content: 'metadata' })
    .catch((error: unknown) => {
      if (isForbidden(error)) return { items: [] };
      throw error;
    });
  return items.map(({ metadata }) => metadata?.name ?? '').filter((name) => name.startsWith(`${clusterName}-`));
}

function timeOf({ series, eventTime, deprecatedLastTimestamp, metadata }: EventObject): string | undefined {
  return series?.lastObservedTime ?? deprecatedLastTimestamp ?? eventTime ?? metadata?.creationTimestamp;
}
