import type { RayCluster } from '@manta/api';
import { rayClusterSpec } from '@manta/api/testing';
import type { PodRecord } from '@manta/plan';
import type { Answer, RayHead, RayNode } from '@manta/ray';
import { beforeEach, describe, expect, it } from 'vitest';
import { createRayNodeLists, type RayNodeLists } from './ray-node-lists.ts';

const CLUSTER: RayCluster = { metadata: { name: 'c', namespace: 'ml', uid: 'u' }, spec: rayClusterSpec() };
const pod = (name: string, podIP: string) => ({ name, namespace: 'ml', uid: `uid-${name}`, podIP }) as PodRecord;
const nodes: readonly RayNode[] = [{ id: 'n', ip: '10.0.0.7', isHead: false, isAlive: true, name: '', labels: {} }];
const { signal } = new AbortController();
let calls: string[];
let answer: Answer<readonly RayNode[]>;

beforeEach(() => {
  calls = [];
  answer = { kind: 'known', value: nodes, at: 0 };
});

function lists(throughApiServer = false): RayNodeLists {
  const poller = {
    ask: (head: RayHead, _: unknown, { owner }: { owner: string }) => {
      calls.push(`${owner} asks ${head.url} in ${head.session}`);
      return answer;
    },
    release: (owner: string) => void calls.push(`${owner} lets go`),
    forget: (owner: string) => void calls.push(`${owner} is forgotten`),
  };
  const find = async (_: RayCluster, { address }: { address?: string | undefined } = {}) =>
    ({ isFound: true, head: { url: `http://${address ?? 'service'}`, session: '' } }) as const;
  return createRayNodeLists({ poller: poller as never, heads: { find }, throughApiServer });
}

describe("Ray's lists of nodes", () => {
  it('are asked of one head through its Service, of two each by itself', async () => {
    const all = lists();
    expect(await all.of('ml/c', CLUSTER, [pod('a', '10.0.0.1')], signal)).toEqual(new Map([['uid-a', nodes]]));
    await all.of('ml/c', CLUSTER, [pod('a', '10.0.0.1'), pod('b', 'fd00::1')], signal);
    expect(calls).toEqual([
      'raycluster/ml/c asks http://service in u/uid-a',
      'raycluster/ml/c asks http://10.0.0.1:8265 in u/uid-a',
      'raycluster/ml/c asks http://[fd00::1]:8265 in u/uid-b',
    ]);
  });

  it('are asked through the API server where that is what users want', async () => {
    await lists(true).of('ml/c', CLUSTER, [pod('a', '10.0.0.1'), pod('b', '10.0.0.2')], signal);
    expect(calls[1]).toBe('raycluster/ml/c asks /api/v1/namespaces/ml/pods/b:8265/proxy in u/uid-b');
  });

  it('cost nothing when they are not needed, and are let go of once', async () => {
    const all = lists();
    await all.of('ml/c', CLUSTER, [], signal);
    await all.of('ml/c', CLUSTER, [pod('a', '10.0.0.1')], signal);
    await all.of('ml/c', CLUSTER, [], signal);
    await all.of('ml/c', CLUSTER, [], signal);
    all.forget('ml/c');
    expect(calls.slice(1)).toEqual(['raycluster/ml/c lets go']);
  });

  it('are not told on the word of a head that fails', async () => {
    answer = { kind: 'unknown' };
    expect(await lists().of('ml/c', CLUSTER, [pod('a', '10.0.0.1')], signal)).toEqual(new Map());
  });
});
