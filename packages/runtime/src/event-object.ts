import type { KubeObject } from '@manta/api';
import type { ResourceType } from '@manta/kube';
import { microTime } from './micro-time.ts';

/** What an event is about, or is also about. */
export interface ObjectReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** Absent for cluster-scoped objects. */
  readonly namespace?: string | undefined;
  readonly uid?: string | undefined;
  /** Events about different versions of an object are kept apart. */
  readonly resourceVersion?: string | undefined;
  readonly fieldPath?: string | undefined;
}

/** What a controller has to say. */
export interface EventInput {
  readonly regarding: ObjectReference;
  readonly related?: ObjectReference | undefined;
  readonly type: 'Normal' | 'Warning';
  /** Why, one word in CamelCase: `CreatedHeadPod`. */
  readonly reason: string;
  /** What was done or tried: `Create`. */
  readonly action: string;
  /** For people; cut after 1024 bytes. */
  readonly note: string;
}

/** events.k8s.io/v1 Event, as far as we write it. */
export interface EventObject extends KubeObject {
  readonly eventTime: string;
  readonly series?: EventSeriesValue;
  readonly reportingController: string;
  readonly reportingInstance: string;
  readonly action: string;
  readonly reason: string;
  readonly regarding: ObjectReference;
  readonly related?: ObjectReference;
  readonly note: string;
  readonly type: 'Normal' | 'Warning';
}

export interface EventSeriesValue {
  /** At least 2. */
  readonly count: number;
  readonly lastObservedTime: string;
}

export const EVENTS: ResourceType<EventObject> = {
  group: 'events.k8s.io',
  version: 'v1',
  plural: 'events',
  kind: 'Event',
  isNamespaced: true,
};

/** Limits of the API, in bytes. */
const MAX_NOTE = 1024;
const MAX_WORD = 128;
const MAX_NAME = 253;

/** Who reports: `raycluster-controller` and `raycluster-controller-<hostname>`. */
export interface Reporter {
  readonly controller: string;
  readonly instance: string;
}

export function reporterOf(controller: string, hostname: string): Reporter {
  return { controller, instance: cutToBytes(`${controller}-${hostname}`, MAX_WORD) };
}

/** Events about cluster-scoped objects live in `default`. */
export function eventNamespace(input: EventInput): string {
  return input.regarding.namespace === undefined || input.regarding.namespace === ''
    ? 'default'
    : input.regarding.namespace;
}

/**
 * `<name>.<16 hex digits>`: the digits are nanoseconds as client-go writes them, the last twenty bits of them chance, since our clock
 * counts milliseconds.
 */
export function eventName(regardingName: string, timeMs: number, random: () => number): string {
  const nanos = BigInt(Math.trunc(timeMs)) * 1_000_000n + BigInt(Math.floor(random() * 1_000_000));
  const suffix = `.${nanos.toString(16).padStart(16, '0')}`;
  const name = regardingName
    .slice(0, MAX_NAME - suffix.length)
    .replace(/[^a-z0-9.-]+/gi, '-')
    .toLowerCase();
  return `${name.replace(/^[.-]+|[.-]+$/g, '') || 'event'}${suffix}`;
}

/** The object for the first write; `series` only when the event happened more than once before it. */
export function eventObject(
  input: EventInput,
  reporter: Reporter,
  name: string,
  eventTimeMs: number,
  series: EventSeriesValue | undefined,
): EventObject {
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name, namespace: eventNamespace(input) },
    eventTime: microTime(eventTimeMs),
    ...(series === undefined ? {} : { series }),
    reportingController: reporter.controller,
    reportingInstance: reporter.instance,
    action: cutToBytes(input.action, MAX_WORD),
    reason: cutToBytes(input.reason, MAX_WORD),
    regarding: input.regarding,
    ...(input.related === undefined ? {} : { related: input.related }),
    note: cutToBytes(input.note, MAX_NOTE),
    type: input.type,
  };
}

const encoder = new TextEncoder();

/** The longest start of `text` that fits into `bytes` of UTF-8; never half a character. */
export function cutToBytes(text: string, bytes: number): string {
  if (text.length * 3 <= bytes) return text;
  return text.slice(0, encoder.encodeInto(text, new Uint8Array(bytes)).read);
}
