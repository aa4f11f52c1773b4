/**
 * What to read of a message in Kubernetes' protobuf encoding: fields by their numbers, under the names that they have in JSON. Fields that
 * are not named are passed over, which is what makes this cheap: of a pod's ten thousand bytes decisions need a few hundred.
 */
export type Shape = ReadonlyMap<number, Field>;

/** `inline`: the fields of that message belong to the one around it, as Go's embedded structs do in JSON. */
export type Field =
  | { readonly name: string; readonly type: 'text' | 'texts' | 'whole' | 'flag' | 'time' | 'map' | 'bytes' }
  | { readonly name: string; readonly type: 'message' | 'messages' | 'inline'; readonly shape: Shape };

/** The fields of one message, each with its number. */
export function shapeOf(fields: Readonly<Record<number, Field>>): Shape {
  return new Map(Object.entries(fields).map(([number, field]) => [Number(number), field]));
}

const OWNER = shapeOf({
  1: { name: 'kind', type: 'text' },
  3: { name: 'name', type: 'text' },
  4: { name: 'uid', type: 'text' },
  5: { name: 'apiVersion', type: 'text' },
  6: { name: 'controller', type: 'flag' },
  7: { name: 'blockOwnerDeletion', type: 'flag' },
});

/** All of an object's metadata but its managedFields. */
export const METADATA: Field = {
  name: 'metadata',
  type: 'message',
  shape: shapeOf({
    1: { name: 'name', type: 'text' },
    2: { name: 'generateName', type: 'text' },
    3: { name: 'namespace', type: 'text' },
    5: { name: 'uid', type: 'text' },
    6: { name: 'resourceVersion', type: 'text' },
    7: { name: 'generation', type: 'whole' },
    8: { name: 'creationTimestamp', type: 'time' },
    9: { name: 'deletionTimestamp', type: 'time' },
    10: { name: 'deletionGracePeriodSeconds', type: 'whole' },
    11: { name: 'labels', type: 'map' },
    12: { name: 'annotations', type: 'map' },
    13: { name: 'ownerReferences', type: 'messages', shape: OWNER },
    14: { name: 'finalizers', type: 'texts' },
  }),
};
