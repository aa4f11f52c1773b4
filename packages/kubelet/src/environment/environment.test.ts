import type { EnvFromSource, EnvVar } from '@manta/api';
import { describe, expect, it } from 'vitest';
import { environmentOf } from './environment.ts';
import type { PodSources } from './pod-sources.ts';

const meta = (name: string) => ({ name, namespace: 'default', uid: name, resourceVersion: '1' });
const sources: PodSources = {
  pod: {
    metadata: { name: 'p', namespace: 'ns', uid: 'u1', labels: { app: 'x' }, annotations: { note: 'hi' } },
    spec: { nodeName: 'n', containers: [{ name: 'other', resources: { requests: { cpu: '250m' } } }] },
  },
  podIp: '10.0.0.2',
  hostIp: '127.0.0.1',
  nodeCapacity: { memory: '8Gi', cpu: '4' },
  configMap: (name) => (name === 'map' ? { metadata: meta(name), data: { key: 'from map' } } : undefined),
  secret: (name) =>
    name === 'hidden'
      ? { metadata: meta(name), data: { key: Buffer.from('from secret').toString('base64') } }
      : undefined,
};
const container = { name: 'main', resources: { limits: { cpu: '1500m', memory: '1Gi' } } };
const valueOf = (variable: Omit<EnvVar, 'name'>) =>
  environmentOf({ ...container, env: [{ name: 'X', ...variable }] }, sources, { HOME: '/h' })['X'];

describe('a variable of a container', () => {
  it.each([
    ['a value', { value: 'plain' }, 'plain'],
    ['nothing at all', {}, ''],
    ['variables before it', { value: '$(HOME)/x' }, '/h/x'],
    ['a field of the pod', { valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } }, 'ns'],
    ['a label', { valueFrom: { fieldRef: { fieldPath: "metadata.labels['app']" } } }, 'x'],
    [
      'a label that the pod does not have',
      { valueFrom: { fieldRef: { fieldPath: "metadata.labels['valueOf']" } } },
      '',
    ],
    ['the address of the pod', { valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }, '10.0.0.2'],
    ['a limit, rounded up', { valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } }, '2'],
    ['a limit in a unit', { valueFrom: { resourceFieldRef: { resource: 'limits.memory', divisor: '1Mi' } } }, '1024'],
    [
      'a request of another container',
      { valueFrom: { resourceFieldRef: { containerName: 'other', resource: 'requests.cpu', divisor: '1m' } } },
      '250',
    ],
    ['a ConfigMap', { valueFrom: { configMapKeyRef: { name: 'map', key: 'key' } } }, 'from map'],
    ['a Secret', { valueFrom: { secretKeyRef: { name: 'hidden', key: 'key' } } }, 'from secret'],
    ['the name of the node', { valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }, 'n'],
    ['an annotation', { valueFrom: { fieldRef: { fieldPath: "metadata.annotations['note']" } } }, 'hi'],
    [
      'what the node has, without a limit',
      { valueFrom: { resourceFieldRef: { containerName: 'other', resource: 'limits.cpu' } } },
      '4',
    ],
    [
      'a Secret that may be missing',
      { valueFrom: { secretKeyRef: { name: 'no', key: 'k', optional: true } } },
      undefined,
    ],
    [
      'a key that may be missing',
      { valueFrom: { secretKeyRef: { name: 'hidden', key: 'no', optional: true } } },
      undefined,
    ],
    [
      'a ConfigMap that may be missing',
      { valueFrom: { configMapKeyRef: { name: 'no', key: 'k', optional: true } } },
      undefined,
    ],
  ])('may come from %s', (_, variable, expected) => {
    expect(valueOf(variable)).toBe(expected);
  });

  it.each([
    ['a ConfigMap', { configMapKeyRef: { name: 'no', key: 'k' } }, 'configmap "no" not found'],
    ['a key of a Secret', { secretKeyRef: { name: 'hidden', key: 'no' } }, "couldn't find key no in secret hidden"],
    [
      'a field',
      { fieldRef: { fieldPath: 'spec.nonsense' } },
      'spec.nonsense is no field of a pod that can be used here',
    ],
  ])('is refused with a reason when %s does not exist', (_, valueFrom, message) => {
    expect(() => valueOf({ valueFrom })).toThrow(message);
  });

  it('may come with all of a ConfigMap or Secret, which are refused when they are missing unless they may be', () => {
    const from = (source: EnvFromSource) => environmentOf({ ...container, envFrom: [source] }, sources, {});
    expect(from({ prefix: 'P_', configMapRef: { name: 'map' } })).toEqual({ P_key: 'from map' });
    expect(from({ secretRef: { name: 'hidden' } })).toEqual({ key: 'from secret' });
    expect(() => from({ configMapRef: { name: 'no' } })).toThrow('configmap "no" not found');
    expect(() => from({ secretRef: { name: 'no' } })).toThrow('secret "no" not found');
    expect(from({ configMapRef: { name: 'no', optional: true } })).toEqual({});
    expect(from({ secretRef: { name: 'no', optional: true } })).toEqual({});
  });

  it('wins over what whole ConfigMaps and Secrets bring, which win over the image', () => {
    const envFrom = [{ configMapRef: { name: 'map' } }, { prefix: 'S_', secretRef: { name: 'hidden' } }];
    const env = [{ name: 'S_key', value: 'own' }];
    expect(environmentOf({ ...container, envFrom, env }, sources, { key: 'image' })).toEqual({
      key: 'from map',
      S_key: 'own',
    });
  });
});
