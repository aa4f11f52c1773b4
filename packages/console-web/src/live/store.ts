import type { Node, Pod, RayCluster, RayCronJob, RayJob, RayService } from '@manta/api';
import type { WorldEvent } from '@manta/insight';
import type { RayKind } from './api.ts';
import type { KindAccess, StreamedKind, StreamedObject, StreamMessage } from '@manta/console/protocol';

/** What an object of each kind is. */
export interface KindTypes {
  readonly RayCluster: RayCluster;
  readonly RayJob: RayJob;
  readonly RayService: RayService;
  readonly RayCronJob: RayCronJob;
  readonly Pod: Pod;
  readonly Event: WorldEvent;
  readonly Node: Node;
}

/** Any of the four Ray objects. */
export type RayObject = RayCluster | RayJob | RayService | RayCronJob;

/** Objects by kind and `namespace/name`. */
export type LiveObjects = { readonly [K in StreamedKind]: ReadonlyMap<string, KindTypes[K]> };

/** What the page knows of the cluster. Replaced as a whole by every change, so that React sees it; parts that did not change are shared. */
export interface LiveState {
  readonly objects: LiveObjects;
  /** Kinds whose first snapshot has arrived. */
  readonly loaded: ReadonlySet<StreamedKind>;
  readonly access: readonly KindAccess[];
  readonly connection: 'connecting' | 'live' | 'lost';
  /** Why the server's data may be old. */
  readonly behind?: string | undefined;
  /** Set once the session has ended. */
  readonly loggedOut?: string | undefined;
}

const NONE = new Map<string, never>();

export const INITIAL: LiveState = {
  objects: { RayCluster: NONE, RayJob: NONE, RayService: NONE, RayCronJob: NONE, Pod: NONE, Event: NONE, Node: NONE },
  loaded: new Set(),
  access: [],
  connection: 'connecting',
};

/** `namespace/name`. */
export function keyOf({ metadata }: Pick<StreamedObject, 'metadata'>): string {
  return `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`;
}

/** The state after a batch of messages. Maps are copied once a batch, not once a message. */
export function reduce(state: LiveState, messages: readonly StreamMessage[]): LiveState {
  const changed: Partial<Record<StreamedKind, Map<string, StreamedObject>>> = {};
  const edit = (kind: StreamedKind) => (changed[kind] ??= new Map<string, StreamedObject>(state.objects[kind]));
  const loaded = new Set(state.loaded);
  let next: LiveState = { ...state, connection: 'live' };
  for (const message of messages) {
    switch (message.type) {
      case 'access':
        next = { ...next, access: message.access };
        break;
      case 'snapshot':
        changed[message.kind] = new Map(message.items.map((object) => [keyOf(object), object]));
        loaded.add(message.kind);
        break;
      case 'upsert':
        edit(message.kind).set(keyOf(message.object), message.object);
        break;
      case 'delete':
        edit(message.kind).delete(`${message.namespace}/${message.name}`);
        break;
      case 'heartbeat':
        next = { ...next, behind: message.behind };
        break;
      case 'logout':
        next = { ...next, loggedOut: message.reason };
        break;
    }
  }
  // The server sends each kind's objects under its own name: the types of the maps are those of the kinds.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const objects = { ...state.objects, ...changed } as LiveObjects;
  return { ...next, objects, loaded };
}

/** The Ray objects of one kind. */
export function rayObjects(objects: LiveObjects, kind: RayKind): readonly RayObject[] {
  const found: ReadonlyMap<string, RayObject> = objects[kind];
  return [...found.values()];
}
