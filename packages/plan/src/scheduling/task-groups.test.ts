import type { PodSpec } from '@manta/api';
import { describe, expect, it } from 'vitest';
import { writeTaskGroups } from './task-groups.ts';

const written = (pod: Partial<PodSpec>) =>
  writeTaskGroups([{ group: 'g', pod: { containers: [], ...pod }, desired: 3, least: 2 }]);

describe('the task groups of a gang', () => {
  it('say what a pod asks for and how many there are at least', () => {
    const containers = [{ name: 'ray', resources: { requests: { memory: '1024Mi', cpu: '1000m' } } }];
    expect(written({ containers })).toBe('[{"minResource":{"cpu":"1","memory":"1Gi"},"name":"g","minMember":2}]');
  });

  it.each<[string, Partial<PodSpec>, string]>([
    [
      'tolerations',
      { tolerations: [{ effect: 'NoSchedule', key: 'gpu', operator: 'Exists' }] },
      '"name":"g","tolerations":[{"key":"gpu","operator":"Exists","effect":"NoSchedule"}],"minMember":2',
    ],
    [
      'tolerations that end',
      { tolerations: [{ effect: 'NoExecute', key: 'a', operator: 'Equal', tolerationSeconds: 30, value: 'b' }] },
      '[{"key":"a","operator":"Equal","value":"b","effect":"NoExecute","tolerationSeconds":30}]',
    ],
    [
      'tolerations with empty texts',
      { tolerations: [{ effect: '', key: 'gpu', operator: 'Exists', value: '' }] },
      '"tolerations":[{"key":"gpu","operator":"Exists"}]',
    ],
    ['node selectors', { nodeSelector: { key: '1', a: '2' } }, '"nodeSelector":{"a":"2","key":"1"},"name":"g"'],
    [
      'node affinities',
      {
        affinity: {
          nodeAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              { preference: { matchExpressions: [{ key: 'k', operator: 'Exists', values: [] }] }, weight: 1 },
            ],
            requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] },
          },
        },
      },
      '"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[]},"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":1,"preference":{"matchExpressions":[{"key":"k","operator":"Exists"}]}}]}},"name"',
    ],
    [
      'pod affinities',
      {
        affinity: {
          podAntiAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              {
                labelSelector: { matchExpressions: [], matchLabels: { weight: '1', key: '2' } },
                namespaceSelector: { matchLabels: {} },
                namespaces: ['x'],
                topologyKey: 'host',
              },
            ],
          },
        },
      },
      '[{"labelSelector":{"matchLabels":{"key":"2","weight":"1"}},"namespaces":["x"],"topologyKey":"host","namespaceSelector":{}}]',
    ],
  ])('spell %s like programs that go through the API types', (_, pod, text) => {
    expect(written(pod)).toContain(text);
  });

  it('leave out what is empty', () => {
    expect(written({ nodeSelector: {}, tolerations: [] })).toBe('[{"minResource":{},"name":"g","minMember":2}]');
  });
});
