import type { KubeObject } from '@manta/api';
import { type ResourceType, resources } from '@manta/kube';
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
  const isOurs = ({ regarding }: EventObject) =>
    (regarding?.kind?.toLowerCase() === target.kind && regarding.name === target.name) ||
    (clusterName !== '' &&
      (regarding?.name === clusterName || regarding?.name?.startsWith(`${clusterName}-`) === true));
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

function timeOf({ series, eventTime, deprecatedLastTimestamp, metadata }: EventObject): string | undefined {
  return series?.lastObservedTime ?? deprecatedLastTimestamp ?? eventTime ?? metadata?.creationTimestamp;
}
