import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../object/json.ts';
import { decodeAs } from './decode.ts';
import { DecodeError } from './decode-error.ts';
import { shapeOf } from './shape.ts';

const pod = shapeOf('core.Pod');

function read(value: Json): Json {
  return decodeAs(pod, value).value;
}

function problem(value: Json): string {
  try {
    read(value);
    return '';
  } catch (error) {
    return error instanceof DecodeError ? error.message : String(error);
  }
}

describe('reading a pod as Go does', () => {
  it('shows what Go never leaves out', () => {
    expect(read({ spec: { containers: [{ name: 'a' }] } })).toEqual({
      metadata: {},
      spec: { containers: [{ name: 'a', resources: {} }] },
      status: {},
    });
  });

  it('leaves out what is empty, unless a pointer holds it', () => {
    const spec = {
      hostNetwork: false,
      hostname: '',
      nodeSelector: {},
      volumes: [],
      enableServiceLinks: false,
      containers: null,
    };
    expect(read({ spec })).toMatchObject({ spec: { enableServiceLinks: false, containers: null } });
    expect(Object.keys((read({ spec }) as { spec: object }).spec).toSorted()).toEqual([
      'containers',
      'enableServiceLinks',
    ]);
  });

  it('gives quantities and times their usual form', () => {
    const value = {
      metadata: { creationTimestamp: '2026-01-01T01:00:00.7+01:00' },
      spec: { containers: [{ name: 'a', resources: { limits: { cpu: 0.5, memory: '1024Mi' } } }] },
    };
    expect(read(value)).toMatchObject({
      metadata: { creationTimestamp: '2026-01-01T00:00:00Z' },
      spec: { containers: [{ resources: { limits: { cpu: '500m', memory: '1Gi' } } }] },
    });
  });

  it('names unknown fields in the order of the document', () => {
    expect(decodeAs(pod, { zz: 1, spec: { containers: [{ name: 'a', y: 1 }], x: 1 } }).unknown).toEqual([
      'zz',
      'spec.containers[0].y',
      'spec.x',
    ]);
  });

  it.each<[string, Json]>([
    ['string into Go struct field PodSpec.spec.priority of type int32', { spec: { priority: 'x' } }],
    ['number 1.5 into Go struct field PodSpec.spec.priority of type int32', { spec: { priority: 1.5 } }],
    ['object into Go struct field PodSpec.spec.containers of type []v1.Container', { spec: { containers: {} } }],
    ['number into Go struct field PodSpec.spec.restartPolicy of type v1.RestartPolicy', { spec: { restartPolicy: 1 } }],
    ['bool into Go struct field ObjectMeta.metadata.labels of type string', { metadata: { labels: { a: true } } }],
    [
      'array into Go struct field TCPSocketAction.spec.containers.livenessProbe.ProbeHandler.tcpSocket.port of type int32',
      { spec: { containers: [{ livenessProbe: { tcpSocket: { port: [] } } }] } },
    ],
    ['array into Go value of type v1.Pod', []],
  ])('cannot unmarshal %s', (said, value) => expect(problem(value)).toBe(`json: cannot unmarshal ${said}`));

  it('reports the first mismatch, but any text that cannot be read before it', () => {
    const mismatched = { spec: { priority: 'x', activeDeadlineSeconds: 'y' } };
    expect(problem(mismatched)).toContain('priority');
    expect(problem({ ...mismatched, metadata: { creationTimestamp: 'yesterday' } })).toBe(
      'parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"',
    );
  });

  it('either reads or explains whatever it is given, and reads what it has written as it is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (spec, status) => {
        const value = JSON.parse(JSON.stringify({ spec, status }));
        if (problem(value) !== '') return;
        expect(read(read(value))).toEqual(read(value));
      }),
    );
  });
});
