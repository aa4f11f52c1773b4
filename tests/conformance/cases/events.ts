import { expect } from '../support/expect.ts';
import { causesOf, expectRefusal } from '../support/expect-status.ts';
import { core, grouped } from '../support/paths.ts';
import type { Case } from '../support/target.ts';

const modern = (namespace: string, name?: string) => grouped('events.k8s.io/v1', namespace, 'events', name);
const legacy = (namespace: string, name?: string) => core(namespace, 'events', name);
const event = (namespace: string, more: object = {}) => ({
  metadata: { name: 'e' },
  eventTime: '2026-01-01T00:00:00.123456Z',
  action: 'Doing',
  reason: 'Done',
  type: 'Normal',
  note: 'a note',
  reportingController: 'example.com/c',
  reportingInstance: 'c-1',
  regarding: { kind: 'Pod', name: 'p', namespace },
  ...more,
});

export const cases: readonly Case[] = [
  {
    title: 'an event of the new group is read in the old one, under its old names',
    run: async (t) => {
      const namespace = await t.namespace();
      const made = await t.must('POST', modern(namespace), event(namespace));
      const old = await t.must('GET', legacy(namespace, 'e'));
      expect(old).toMatchObject({
        kind: 'Event',
        apiVersion: 'v1',
        metadata: { uid: made.metadata.uid },
        involvedObject: { kind: 'Pod', name: 'p', namespace },
        message: 'a note',
        reportingComponent: 'example.com/c',
        reportingInstance: 'c-1',
        firstTimestamp: null,
        lastTimestamp: null,
      });
    },
  },
  {
    title: 'an event of the old group is read in the new one, under its new names',
    run: async (t) => {
      const namespace = await t.namespace();
      await t.must('POST', legacy(namespace), {
        metadata: { name: 'e' },
        involvedObject: { kind: 'Pod', name: 'p', namespace },
        reason: 'Done',
        message: 'words',
        type: 'Warning',
        count: 4,
        source: { component: 'c', host: 'h' },
        firstTimestamp: '2026-01-01T00:00:00Z',
        lastTimestamp: '2026-01-01T00:00:01Z',
      });
      expect(await t.must('GET', modern(namespace, 'e'))).toMatchObject({
        apiVersion: 'events.k8s.io/v1',
        regarding: { kind: 'Pod', name: 'p', namespace },
        note: 'words',
        type: 'Warning',
        deprecatedCount: 4,
        deprecatedSource: { component: 'c', host: 'h' },
        deprecatedFirstTimestamp: '2026-01-01T00:00:00Z',
        deprecatedLastTimestamp: '2026-01-01T00:00:01Z',
        eventTime: null,
      });
    },
  },
  {
    title: 'a series is kept with its count',
    run: async (t) => {
      const namespace = await t.namespace();
      const made = await t.must('POST', modern(namespace), event(namespace));
      const series = { count: 2, lastObservedTime: '2026-01-01T00:00:01.000000Z' };
      const after = await t.must('PUT', modern(namespace, 'e'), { ...made, series });
      expect(after['series']).toEqual(series);
    },
  },
  {
    title: 'an event in the new group needs all that makes it useful',
    run: async (t) => {
      const namespace = await t.namespace();
      const answer = await t.request('POST', modern(namespace), {
        metadata: { name: 'e' },
        eventTime: '2026-01-01T00:00:00.123456Z',
        regarding: { kind: 'Pod', name: 'p', namespace },
      });
      expectRefusal(answer, { code: 422, reason: 'Invalid' });
      expect(new Set(causesOf(answer).map((cause) => cause.split(':')[0]))).toEqual(
        new Set(['reportingController', 'reportingInstance', 'action', 'reason', 'type']),
      );
    },
  },
  {
    title: 'an event of the old group is about something in its own namespace',
    run: async (t) => {
      const namespace = await t.namespace();
      const involvedObject = { kind: 'Pod', name: 'p', namespace: 'other' };
      const answer = await t.request('POST', legacy(namespace), { metadata: { name: 'e' }, involvedObject });
      expectRefusal(answer, {
        code: 422,
        reason: 'Invalid',
        message:
          'Event "e" is invalid: involvedObject.namespace: Invalid value: "other": does not match event.namespace',
      });
    },
  },
  {
    title: 'an event about a cluster object lives in default',
    run: async (t) => {
      const name = t.unique('e');
      const made = await t.must(
        'POST',
        modern('default'),
        event('default', { metadata: { name }, regarding: { kind: 'Node', name: 'n' } }),
      );
      expect(made['regarding']).toEqual({ kind: 'Node', name: 'n' });
      await t.must('DELETE', modern('default', name));
    },
  },
  {
    title: 'the story of an event in the new group cannot be rewritten',
    run: async (t) => {
      const namespace = await t.namespace();
      const made = await t.must('POST', modern(namespace), event(namespace));
      const answer = await t.request('PUT', modern(namespace, 'e'), { ...made, reason: 'Undone' });
      expectRefusal(answer, { code: 422, message: /reason: Invalid value: "Undone": field is immutable/ });
    },
  },
];
