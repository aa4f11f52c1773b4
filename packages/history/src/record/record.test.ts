import type { Pod } from '@manta/api';
import { describe, expect, it } from 'vitest';
import type { LogEntry, VersionEntry } from '../store/entries.ts';
import { eventEntry } from './event-entry.ts';
import { PendingEntries } from './pending-entries.ts';
import { logTargets, podEntry } from './pod-entry.ts';
import { REDACTED, redact } from './redact.ts';

describe('redact()', () => {
  it('replaces the values of environment variables and keeps their names and references', () => {
    const object = {
      metadata: {
        name: 'a',
        managedFields: [{}],
        annotations: { 'kubectl.kubernetes.io/last-applied-configuration': 'x', b: 'c' },
      },
      spec: {
        containers: [
          {
            name: 'ray',
            env: [
              { name: 'PASSWORD', value: 's3cret' },
              { name: 'REF', valueFrom: { secretKeyRef: { name: 's' } } },
            ],
          },
        ],
      },
    };
    expect(redact(object)).toEqual({
      metadata: { name: 'a', annotations: { b: 'c' } },
      spec: {
        containers: [
          {
            name: 'ray',
            env: [
              { name: 'PASSWORD', value: REDACTED },
              { name: 'REF', valueFrom: { secretKeyRef: { name: 's' } } },
            ],
          },
        ],
      },
    });
  });

  it('replaces a runtime environment that sets variables, and keeps one that does not', () => {
    const redacted = redact({ spec: { runtimeEnvYAML: 'env_vars: {KEY: s3cret}' } });
    expect(redacted).toEqual({ metadata: {}, spec: { runtimeEnvYAML: REDACTED } });
    expect(redact({ spec: { runtimeEnvYAML: 'pip: [x]' } })).toMatchObject({ spec: { runtimeEnvYAML: 'pip: [x]' } });
  });
});

const started = (name: string, restartCount: number, state: object, lastState?: object) => ({
  name,
  image: '',
  imageID: '',
  ready: false,
  restartCount,
  state,
  ...(lastState === undefined ? {} : { lastState }),
});
const ended = (exitCode: number) => ({
  terminated: { exitCode, reason: 'Error', finishedAt: '2026-01-01T00:00:00Z' },
});
const podWith = (metadata: object, ...containerStatuses: object[]) =>
  ({ metadata: { uid: 'u', name: 'p', namespace: 'n', ...metadata }, status: { containerStatuses } }) as Pod;

describe('podEntry()', () => {
  it('has the ends of the current container and of the one before', () => {
    const { ends } = podEntry(podWith({}, started('ray-head', 3, ended(1), ended(137))));
    expect(ends.map(({ restart, exitCode }) => [restart, exitCode])).toEqual([
      [2, 137],
      [3, 1],
    ]);
  });

  it('tells submitters from the pods of clusters', () => {
    const labels = { 'ray.io/originated-from-crd': 'RayJob', 'ray.io/originated-from-cr-name': 'train' };
    expect(podEntry(podWith({ labels }))).toMatchObject({ job: 'train', nodeType: 'submitter' });
    const head = { ...labels, 'ray.io/node-type': 'head', 'ray.io/group': 'headgroup' };
    expect(podEntry(podWith({ labels: head }))).toMatchObject({ job: '', nodeType: 'head', group: 'headgroup' });
  });
});

describe('logTargets()', () => {
  it('names containers that have ended', () => {
    expect(logTargets(podWith({}, started('a', 0, ended(1)), started('b', 0, { running: {} })))).toEqual([
      { container: 'a', restart: 0, isPrevious: false },
    ]);
  });

  it('names running containers of a pod that is being deleted, because its logs go with it', () => {
    const pod = podWith({ deletionTimestamp: '2026-01-01T00:00:00Z' }, started('b', 2, { running: {} }));
    expect(logTargets(pod)).toEqual([{ container: 'b', restart: 2, isPrevious: false }]);
  });

  it('names the container before a restart', () => {
    expect(logTargets(podWith({}, started('a', 1, { running: {} }, ended(1))))).toEqual([
      { container: 'a', restart: 0, isPrevious: true },
    ]);
  });
});

describe('eventEntry()', () => {
  it('takes the last time and the count of a series', () => {
    const series = { count: 7, lastObservedTime: '2026-01-01T00:00:07Z' };
    const event = {
      metadata: { uid: 'e', namespace: 'n' },
      regarding: { kind: 'RayJob', name: 'a', namespace: 'n' },
      series,
    };
    expect(eventEntry(event)).toMatchObject({ count: 7, at: Date.parse('2026-01-01T00:00:07Z') });
  });

  it('ignores events of objects that have nothing to do with Ray', () => {
    expect(eventEntry({ regarding: { kind: 'Node', name: 'a' } })).toBeUndefined();
  });
});

describe('PendingEntries', () => {
  const log = (text: string): LogEntry => ({
    kind: 'log',
    podUid: 'p',
    container: text,
    restart: 0,
    at: 0,
    text: text.padEnd(800, ' '),
  });
  const version = (uid: string): VersionEntry => ({
    kind: 'version',
    uid,
    object: 'RayJob',
    namespace: '',
    name: '',
    owner: '',
    resourceVersion: '1',
    at: 0,
    document: { text: 'x'.repeat(480) },
  });

  it('drops the oldest logs before versions when its limit is reached, and counts them', () => {
    const pending = new PendingEntries(2_500);
    for (const entry of [version('a'), log('1'), log('2'), version('b')]) pending.add(entry);
    expect(pending.takeDropped()).toEqual(new Map([['log', 2]]));
    expect(pending.takeAll()).toEqual([version('a'), version('b')]);
    expect(pending.takeDropped().size).toBe(0);
  });

  it('keeps the order of entries that could not be written before newer ones', () => {
    const pending = new PendingEntries(1_000_000);
    pending.add(version('a'));
    const taken = pending.takeAll();
    pending.add(version('b'));
    pending.putBack(taken);
    expect(pending.takeAll()).toEqual([version('a'), version('b')]);
    expect(pending.size).toBe(0);
  });
});
