import type { RayKind } from '../store/entries.ts';

type Document = Readonly<Record<string, unknown>>;

/** An object's state in one word and its message, read from its status like `kubectl get` does. */
export function stateOf(kind: RayKind, document: Document): { readonly state: string; readonly message: string } {
  const status = objectAt(document, 'status');
  switch (kind) {
    case 'RayJob':
      return {
        state: firstText(status, 'jobDeploymentStatus', 'jobStatus') || 'New',
        message: firstText(status, 'message', 'reason'),
      };
    case 'RayCluster':
      return { state: firstText(status, 'state') || provisioning(status), message: firstText(status, 'reason') };
    case 'RayService':
      return { state: firstText(status, 'serviceStatus') || 'New', message: messageOfReady(status) };
    case 'RayCronJob':
      return { state: objectAt(document, 'spec')['suspend'] === true ? 'Suspended' : 'Scheduled', message: '' };
  }
}

function provisioning(status: Document): string {
  return Object.keys(status).length === 0 ? 'New' : 'Provisioning';
}

function messageOfReady(status: Document): string {
  const { conditions } = status;
  if (!Array.isArray(conditions)) return '';
  const ready: unknown = conditions.find((condition: unknown) => textAt(condition, 'type') === 'Ready');
  return textAt(ready, 'status') === 'True' ? '' : textAt(ready, 'message');
}

function firstText(object: Document, ...fields: readonly string[]): string {
  return fields.map((field) => textAt(object, field)).find((text) => text !== '') ?? '';
}

/** The object in a field; an empty one if the field holds something else. */
export function objectAt(object: unknown, field: string): Document {
  const value = fieldOf(object, field);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- checked to be an object
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Document) : {};
}

function textAt(object: unknown, field: string): string {
  const value = fieldOf(object, field);
  return typeof value === 'string' ? value : '';
}

function fieldOf(object: unknown, field: string): unknown {
  if (typeof object !== 'object' || object === null || !Object.hasOwn(object, field)) return undefined;
  return Reflect.get(object, field);
}
