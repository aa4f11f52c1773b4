import { podLogs } from '@manta/kube';
import type { ViewerAccess } from '../identity/viewer.ts';
import type { LogSource } from './log-response.ts';

/** Which log of which container; options from the query of a request. */
export interface PodLogQuery {
  readonly namespace: string;
  readonly pod: string;
  readonly params: URLSearchParams;
}

/** A container's log, read with the viewer's identity. If the API server refuses it, the stream ends with its words. */
export function podLogSource(
  { namespace, pod, params }: PodLogQuery,
  { transport }: Pick<ViewerAccess, 'transport'>,
  signal: AbortSignal,
): LogSource {
  const container = params.get('container') ?? undefined;
  const isFollowed = params.get('follow') === 'true';
  const chunks = podLogs(transport, {
    namespace,
    pod,
    container,
    follow: isFollowed,
    tailLines: countIn(params, 'tailLines'),
    sinceTime: params.get('sinceTime') ?? undefined,
    previous: params.get('previous') === 'true',
    timestamps: params.get('timestamps') === 'true',
    signal,
  });
  const name = container === undefined ? `pod ${pod}` : `pod ${pod}, container ${container}`;
  return { name, isFollowed, chunks };
}

/** A count from a query; undefined if it is missing or none. */
export function countIn(params: URLSearchParams, name: string): number | undefined {
  const text = params.get(name) ?? '';
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
