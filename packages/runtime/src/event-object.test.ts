import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cutToBytes, eventName, eventObject, reporterOf } from './event-object.ts';

const START = Date.parse('2026-08-01T12:00:00.000Z');

describe('an event on the wire', () => {
  test('is what client-go writes, field for field', () => {
    const regarding = {
      apiVersion: 'ray.io/v1',
      kind: 'RayCluster',
      name: 'a',
      namespace: 'ns',
      uid: 'u',
      resourceVersion: '7',
    };
    const input = { regarding, type: 'Normal', reason: 'CreatedHeadPod', action: 'Create', note: 'Created' } as const;
    const reporter = reporterOf('raycluster-controller', 'host-1');
    expect(eventObject(input, reporter, 'a.1', START, undefined)).toEqual({
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: 'a.1', namespace: 'ns' },
      eventTime: '2026-08-01T12:00:00.000000Z',
      reportingController: 'raycluster-controller',
      reportingInstance: 'raycluster-controller-host-1',
      action: 'Create',
      reason: 'CreatedHeadPod',
      regarding,
      note: 'Created',
      type: 'Normal',
    });
  });

  test('about a cluster-scoped object goes to the namespace default', () => {
    const regarding = { apiVersion: 'v1', kind: 'Node', name: 'n' };
    const input = { regarding, type: 'Warning', reason: 'R', action: 'A', note: '' } as const;
    expect(eventObject(input, reporterOf('c', 'h'), 'n.1', START, undefined).metadata?.namespace).toBe('default');
  });

  test('a reporting instance stays within what the API takes', () => {
    expect(reporterOf('raycluster-controller', 'h'.repeat(300)).instance).toHaveLength(128);
  });
});

describe('an event name', () => {
  test('is the object name and the nanoseconds in hex', () => {
    expect(eventName('a', START, () => 0)).toBe(`a.${(BigInt(START) * 1_000_000n).toString(16)}`);
    expect(eventName('a', START, () => 0.5)).toMatch(/^a\.[0-9a-f]{16}$/);
  });

  test('is always a name that Kubernetes takes', () => {
    const anyName = fc.oneof(
      fc.string({ maxLength: 300 }),
      fc.string({ unit: fc.constantFrom('a', '.', '-', '9'), maxLength: 300 }),
    );
    const subdomain = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;
    fc.assert(
      fc.property(anyName, fc.double({ min: 0, max: 0.999, noNaN: true }), (name, dice) => {
        const made = eventName(name, START, () => dice);
        expect(made).toMatch(subdomain);
        expect(made.length).toBeLessThanOrEqual(253);
      }),
    );
  });
});

const bytes = (text: string) => Buffer.byteLength(text);

test('a note is cut to the longest whole-character start that fits', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), fc.integer({ min: 0, max: 80 }), (text, limit) => {
      const cut = cutToBytes(text, limit);
      const next = Array.from(text)[Array.from(cut).length];
      expect(text.startsWith(cut)).toBe(true);
      expect(bytes(cut)).toBeLessThanOrEqual(limit);
      expect(next === undefined || bytes(cut) + bytes(next) > limit).toBe(true);
    }),
  );
});
