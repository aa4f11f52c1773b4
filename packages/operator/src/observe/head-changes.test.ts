import { NodeType, type RayCluster } from '@manta/api';
import type { PodRecord } from '@manta/plan';
import { expect, it } from 'vitest';
import { watchForNewHead } from './head-changes.ts';
import type { RayClusterCache } from './ray-cluster-cache.ts';

interface Shown {
  readonly heads: readonly string[];
  readonly workers?: readonly string[];
  /** The head that the status names. */
  readonly noted?: string;
  /** Of the cluster. */
  readonly uid?: string;
}

function cacheOf(shown: () => Shown): Pick<RayClusterCache, 'clusters' | 'pods'> {
  const pods = (nodeType: string, uids: readonly string[] = []) =>
    uids.map((uid) => ({ nodeType, uid }) as unknown as PodRecord);
  const cluster = (): RayCluster => ({
    metadata: { uid: shown().uid ?? 'u' },
    status: { head: { podName: shown().noted ?? '' } },
  });
  const by = () => [...pods(NodeType.Head, shown().heads), ...pods(NodeType.Worker, shown().workers)];
  return { clusters: { get: cluster }, pods: { by } } as unknown as Pick<RayClusterCache, 'clusters' | 'pods'>;
}

it.each<[string, Shown, Shown, boolean]>([
  ['nothing happens', { heads: [] }, { heads: [] }, false],
  ['workers come', { heads: [] }, { heads: [], workers: ['w'] }, false],
  ['the cache learns of the end of a head', { heads: ['a'] }, { heads: [] }, false],
  ['a head comes', { heads: [] }, { heads: ['a'] }, true],
  ['a head takes the place of another', { heads: ['a'] }, { heads: ['b'] }, true],
  ['the cluster is made anew', { heads: [] }, { heads: [], uid: 'u2' }, true],
  ['a head has come and gone, and was noted', { heads: [] }, { heads: [], noted: 'demo-head-1' }, true],
])('when %s', (_, before, after, isNews) => {
  let shown = before;
  const hasNewHead = watchForNewHead(
    cacheOf(() => shown),
    'ns/demo',
  );
  expect(hasNewHead()).toBe(false);
  shown = after;
  expect(hasNewHead()).toBe(isNews);
});
