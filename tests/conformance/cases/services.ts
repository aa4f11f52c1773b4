import { expect } from '../support/expect.ts';
import { causesOf, expectRefusal } from '../support/expect-status.ts';
import { patchType, service } from '../support/objects.ts';
import { services } from '../support/paths.ts';
import type { Case, Fields, Target } from '../support/target.ts';

const inRange = /^10\.0\.\d+\.\d+$/;

async function created(t: Target, spec: Fields = {}) {
  const namespace = await t.namespace();
  return { namespace, made: await t.must('POST', services(namespace), service('s', spec)) };
}

const firstPort = (spec: Fields) => (spec['ports'] as { nodePort?: number }[])[0];

export const cases: readonly Case[] = [
  {
    title: 'a service gets an address of the cluster, and keeps it',
    run: async (t) => {
      const { namespace, made } = await created(t);
      expect(made.spec['clusterIP']).toMatch(inRange);
      expect(made.spec['clusterIPs']).toEqual([made.spec['clusterIP']]);
      const after = await t.must('PUT', services(namespace, 's'), service('s', { selector: { a: 'b' } }));
      expect(after.spec['clusterIP']).toBe(made.spec['clusterIP']);
    },
  },
  {
    title: 'two services have different addresses',
    run: async (t) => {
      const [one, two] = [await created(t), await created(t)];
      expect(one.made.spec['clusterIP']).not.toBe(two.made.spec['clusterIP']);
    },
  },
  {
    title: 'an address cannot be changed',
    run: async (t) => {
      const { namespace } = await created(t);
      const answer = await t.request(
        'PATCH',
        services(namespace, 's'),
        { spec: { clusterIP: '10.0.9.9', clusterIPs: ['10.0.9.9'] } },
        patchType.merge,
      );
      expectRefusal(answer, { code: 422, reason: 'Invalid' });
      expect(causesOf(answer)).toEqual([
        'spec.clusterIPs[0]: FieldValueInvalid: Invalid value: ["10.0.9.9"]: may not change once set',
      ]);
    },
  },
  {
    title: 'an address that is taken is refused',
    run: async (t) => {
      const { namespace, made } = await created(t);
      const clusterIP = String(made.spec['clusterIP']);
      const answer = await t.request('POST', services(namespace), service('other', { clusterIP }));
      expectRefusal(answer, { code: 422, reason: 'Invalid' });
      expect(causesOf(answer)).toEqual([
        `spec.clusterIPs: FieldValueInvalid: Invalid value: ["${clusterIP}"]: failed to allocate IP ${clusterIP}: provided IP is already allocated`,
      ]);
    },
  },
  {
    title: 'an address outside of the range of the cluster is refused',
    run: async (t) => {
      const namespace = await t.namespace();
      const answer = await t.request('POST', services(namespace), service('s', { clusterIP: '192.168.0.1' }));
      expectRefusal(answer, {
        code: 422,
        message: /failed to allocate IP 192\.168\.0\.1: the provided network does not match the current range$/,
      });
    },
  },
  {
    title: 'the address of a deleted service is free again',
    run: async (t) => {
      const { namespace, made } = await created(t);
      await t.must('DELETE', services(namespace, 's'));
      const { clusterIP } = made.spec;
      const again = await t.must('POST', services(namespace), service('again', { clusterIP }));
      expect(again.spec['clusterIP']).toBe(clusterIP);
    },
  },
  {
    title: 'a headless service has no address and says None',
    run: async (t) => {
      const { made } = await created(t, { clusterIP: 'None' });
      expect(made.spec).toMatchObject({ clusterIP: 'None', clusterIPs: ['None'], type: 'ClusterIP' });
    },
  },
  {
    title: 'a service on node ports gets one of their range for each port',
    run: async (t) => {
      const { made } = await created(t, { type: 'NodePort' });
      expect(firstPort(made.spec)?.nodePort).toBeGreaterThanOrEqual(30_000);
      expect(firstPort(made.spec)?.nodePort).toBeLessThanOrEqual(32_767);
    },
  },
  {
    title: 'a node port outside of the range is refused',
    run: async (t) => {
      const answer = await t.request(
        'POST',
        services(await t.namespace()),
        service('s', { type: 'NodePort', ports: [{ port: 80, nodePort: 80 }] }),
      );
      expectRefusal(answer, { code: 422 });
      expect(causesOf(answer)).toEqual([
        'spec.ports[0].nodePort: FieldValueInvalid: Invalid value: 80: provided port is not in the valid range. The range of valid ports is 30000-32767',
      ]);
    },
  },
  {
    title: 'a node port that is taken is refused',
    run: async (t) => {
      const { namespace, made } = await created(t, { type: 'NodePort' });
      const nodePort = firstPort(made.spec)?.nodePort;
      const answer = await t.request(
        'POST',
        services(namespace),
        service('other', { type: 'NodePort', ports: [{ port: 80, nodePort }] }),
      );
      expect(causesOf(answer)).toEqual([
        `spec.ports[0].nodePort: FieldValueInvalid: Invalid value: ${nodePort}: provided port is already allocated`,
      ]);
    },
  },
  {
    title: 'a service that becomes internal gives its node ports back',
    run: async (t) => {
      const { namespace, made } = await created(t, { type: 'NodePort' });
      const after = await t.must('PUT', services(namespace, 's'), {
        ...made,
        spec: { ...made.spec, type: 'ClusterIP' },
      });
      expect(firstPort(after.spec)).not.toHaveProperty('nodePort');
      expect(after.spec['clusterIP']).toBe(made.spec['clusterIP']);
    },
  },
  {
    title: 'a service without ports is refused where it has an address',
    run: async (t) => {
      const answer = await t.request('POST', services(await t.namespace()), service('s', { ports: [] }));
      expect(causesOf(answer)).toEqual(['spec.ports: FieldValueRequired: Required value']);
    },
  },
  {
    title: 'several ports need names',
    run: async (t) => {
      const answer = await t.request(
        'POST',
        services(await t.namespace()),
        service('s', { ports: [{ port: 80 }, { port: 81 }] }),
      );
      expect(causesOf(answer)).toEqual([
        'spec.ports[0].name: FieldValueRequired: Required value',
        'spec.ports[1].name: FieldValueRequired: Required value',
      ]);
    },
  },
  {
    title: 'ports out of range, protocols unknown and names twice are refused together',
    run: async (t) => {
      const ports = [
        { name: 'a', port: 0 },
        { name: 'a', port: 80, protocol: 'ICMP' },
      ];
      const answer = await t.request('POST', services(await t.namespace()), service('s', { ports }));
      expect(new Set(causesOf(answer))).toEqual(
        new Set([
          'spec.ports[0].port: FieldValueInvalid: Invalid value: 0: must be between 1 and 65535, inclusive',
          'spec.ports[0].targetPort: FieldValueInvalid: Invalid value: 0: must be between 1 and 65535, inclusive',
          'spec.ports[1].name: FieldValueDuplicate: Duplicate value: "a"',
          'spec.ports[1].protocol: FieldValueNotSupported: Unsupported value: "ICMP": supported values: "SCTP", "TCP", "UDP"',
        ]),
      );
    },
  },
  {
    title: 'a foreign name needs a name',
    run: async (t) => {
      const answer = await t.request(
        'POST',
        services(await t.namespace()),
        service('s', { type: 'ExternalName', ports: [] }),
      );
      expect(causesOf(answer)).toEqual(['spec.externalName: FieldValueRequired: Required value']);
    },
  },
  {
    title: 'a type that nobody knows is refused',
    run: async (t) => {
      const answer = await t.request('POST', services(await t.namespace()), service('s', { type: 'Magic' }));
      expect(causesOf(answer)).toEqual([
        'spec.type: FieldValueNotSupported: Unsupported value: "Magic": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
      ]);
    },
  },
];
