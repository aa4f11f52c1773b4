import { type KubeObject, timestamp } from '@manta/api';
import type { Cluster, Stored } from './cluster.ts';
import { type CoreEvent, events } from './kinds.ts';
import { isAlreadyExists } from './refusal.ts';

/** Emits an event about an object. */
export type RecordEvent = (
  about: InvolvedObject,
  type: 'Normal' | 'Warning',
  reason: string,
  message: string,
) => Promise<void>;

/** The object that an event is about, with its kind as stored. */
export type InvolvedObject = Stored<KubeObject>;

const REMEMBERED = 4096;

/**
 * Writes events as Kubernetes' controllers do: the same thing said again counts the event up instead of adding another. An event that
 * cannot be written is lost, as the real ones are: nothing may depend on it.
 */
export function createEventRecorder({ writes, world }: Cluster, component: string): RecordEvent {
  const said = new Map<string, Stored<CoreEvent>>();
  let order = 0;
  const add = async (about: InvolvedObject, type: string, reason: string, message: string): Promise<CoreEvent> => {
    for (;;) {
      order += 1;
      const event = newEvent(about, { type, reason, message, component, nowMs: world.clock.now(), order });
      try {
        return await writes.create(events, event);
      } catch (error) {
        // Another controller said something of a namesake at the same moment.
        if (!isAlreadyExists(error)) throw error;
      }
    }
  };
  const countUp = async ({ metadata, count = 1 }: Stored<CoreEvent>): Promise<CoreEvent> => {
    const body = { count: count + 1, lastTimestamp: timestamp(world.clock.now()) };
    return await writes.patch(events, metadata, { type: 'merge', body });
  };
  return async (about, type, reason, message) => {
    const key = JSON.stringify([about.metadata.uid, type, reason, message]);
    const before = said.get(key);
    try {
      const written = before === undefined ? await add(about, type, reason, message) : await countUp(before);
      remember(said, key, written);
    } catch {
      said.delete(key);
    }
  };
}

function remember(said: Map<string, Stored<CoreEvent>>, key: string, event: CoreEvent): void {
  said.delete(key);
  // What the API returned was stored.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  said.set(key, event as Stored<CoreEvent>);
  const oldest = said.size > REMEMBERED ? said.keys().next().value : undefined;
  if (oldest !== undefined) said.delete(oldest);
}

interface NewEvent {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly component: string;
  readonly nowMs: number;
  readonly order: number;
}

function newEvent(about: InvolvedObject, { type, reason, message, component, nowMs, order }: NewEvent): CoreEvent {
  const { name, uid, resourceVersion, namespace } = about.metadata;
  const time = timestamp(nowMs);
  const suffix = (BigInt(Math.floor(nowMs)) * 1_000_000n + BigInt(order % 1_000_000)).toString(16);
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `${name}.${suffix}`, namespace: namespace ?? 'default' },
    involvedObject: {
      ...(about.apiVersion === undefined ? {} : { apiVersion: about.apiVersion }),
      ...(about.kind === undefined ? {} : { kind: about.kind }),
      name,
      ...(namespace === undefined ? {} : { namespace }),
      uid,
      resourceVersion,
    },
    type,
    reason,
    message,
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
    source: { component },
    reportingComponent: component,
    reportingInstance: '',
  };
}
