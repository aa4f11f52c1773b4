import type { JsonObject } from '../object/json.ts';
import { textAt, valueAt } from './json-path.ts';

type Reader = (object: JsonObject) => string;

const text =
  (path: string, whenEmpty = ''): Reader =>
  (object) =>
    textAt(object, path) || whenEmpty;
const flag =
  (path: string): Reader =>
  (object) =>
    String(valueAt(object, path) === true);
const number =
  (path: string): Reader =>
  (object) =>
    JSON.stringify(valueAt(object, path) ?? 0);
const all = (...paths: readonly string[]): Record<string, Reader> =>
  Object.fromEntries(paths.map((path) => [path, text(path)]));

const involvedObject = (root: string): Record<string, Reader> =>
  all(
    ...['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'].map(
      (key) => `${root}.${key}`,
    ),
  );

/** Which fields of the built-in kinds a field selector may name, besides metadata.name and metadata.namespace. */
export const SELECTABLE_FIELDS: Readonly<Record<string, Readonly<Record<string, Reader>>>> = {
  '/events': {
    ...involvedObject('involvedObject'),
    ...all('reason', 'reportingComponent', 'type'),
    source: (object) => textAt(object, 'source.component') || textAt(object, 'reportingComponent'),
  },
  'events.k8s.io/events': {
    ...involvedObject('regarding'),
    ...all('reason', 'reportingController', 'type'),
  },
  '/namespaces': all('status.phase'),
  '/nodes': { 'spec.unschedulable': flag('spec.unschedulable') },
  '/pods': {
    ...all('spec.nodeName', 'spec.restartPolicy', 'spec.schedulerName', 'spec.serviceAccountName', 'status.phase'),
    'spec.hostNetwork': flag('spec.hostNetwork'),
    'status.nominatedNodeName': text('status.nominatedNodeName'),
    'status.podIP': text('status.podIP'),
    'status.podIPs': text('status.podIP'),
  },
  '/secrets': all('type'),
  '/services': all('spec.clusterIP', 'spec.type'),
  'batch/jobs': { 'status.successful': number('status.succeeded') },
};
