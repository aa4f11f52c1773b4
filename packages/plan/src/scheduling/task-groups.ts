import { isRecord } from '@manta/api';
import { podAmounts, resourceList } from '../amounts.ts';
import type { Member } from './gang.ts';

/**
 * The gang's task groups as the JSON annotation that YuniKorn reads. It must be identical on all pods of a cluster, some of which KubeRay may
 * have created: fields are in the order of the API's types, and empty ones are left out.
 */
export function writeTaskGroups(members: readonly Member[]): string {
  return JSON.stringify(members.map(taskGroup));
}

function taskGroup({ group, pod, least }: Member): object {
  const { nodeSelector = {}, affinity, tolerations = [] } = pod;
  return {
    minResource: resourceList(podAmounts(pod)),
    ...(Object.keys(nodeSelector).length === 0 ? {} : { nodeSelector: byName(nodeSelector) }),
    ...(affinity === undefined ? {} : { affinity: inOrder(affinity) }),
    name: group,
    ...(tolerations.length === 0 ? {} : { tolerations: tolerations.map((each) => inOrder(withoutEmptyTexts(each))) }),
    minMember: least,
  };
}

/** The fields of tolerations, affinities and their parts, in order; no two types order the same fields differently. */
const ORDER: readonly string[] = [
  'nodeAffinity',
  'podAffinity',
  'podAntiAffinity',
  'requiredDuringSchedulingIgnoredDuringExecution',
  'preferredDuringSchedulingIgnoredDuringExecution',
  'nodeSelectorTerms',
  'weight',
  'preference',
  'podAffinityTerm',
  'labelSelector',
  'namespaces',
  'topologyKey',
  'namespaceSelector',
  'matchLabelKeys',
  'mismatchLabelKeys',
  'matchLabels',
  'matchExpressions',
  'matchFields',
  'key',
  'operator',
  'value',
  'values',
  'effect',
  'tolerationSeconds',
];

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (!isRecord(value)) return value;
  const known = Object.entries(value).toSorted(([a], [b]) => rank(a) - rank(b));
  return Object.fromEntries(
    known.flatMap(([key, content]) => {
      const written = key === 'matchLabels' && isRecord(content) ? byName(content) : inOrder(content);
      return isEmpty(key, written) ? [] : [[key, written]];
    }),
  );
}

/** All fields of a toleration are optional; those of selectors are not. */
function withoutEmptyTexts(toleration: object): object {
  return Object.fromEntries(Object.entries(toleration).filter(([, value]) => value !== ''));
}

function rank(key: string): number {
  const at = ORDER.indexOf(key);
  return at < 0 ? ORDER.length : at;
}

/** An empty selector has a meaning; an empty list or map inside it has none. */
function isEmpty(key: string, value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0 && key !== 'nodeSelectorTerms';
  return key === 'matchLabels' && isRecord(value) && Object.keys(value).length === 0;
}

function byName<T>(map: Readonly<Record<string, T>>): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(map).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
