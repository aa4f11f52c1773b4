import type { CustomResourceDefinition } from '@manta/api';
import type { Json, JsonObject } from '../json.ts';

const NAMES_OK = { reason: 'NoConflicts', message: 'no conflicts found' };
const SERVED = { reason: 'InitialNamesAccepted', message: 'the initial names have been accepted' };

/** The status of a definition that has just been accepted: its names, its versions, and that it is served. */
export function establishedStatus(definition: CustomResourceDefinition, now: string): JsonObject {
  const { names, versions } = definition.spec;
  const storage = versions.find(({ storage: isStorage }) => isStorage)?.name;
  const known = definition.status?.storedVersions ?? [];
  const stored = storage === undefined || known.includes(storage) ? known : [...known, storage];
  const conditions = definition.status?.conditions ?? [];
  const time = (type: string) => conditions.find((condition) => condition.type === type)?.lastTransitionTime ?? now;
  const condition = (type: string, why: { readonly reason: string; readonly message: string }): JsonObject => ({
    type,
    status: 'True',
    lastTransitionTime: time(type),
    ...why,
  });
  const acceptedNames: Record<string, Json> = {};
  for (const [key, value] of Object.entries(names)) acceptedNames[key] = toJson(value);
  return {
    conditions: [condition('NamesAccepted', NAMES_OK), condition('Established', SERVED)],
    acceptedNames,
    storedVersions: [...stored],
  };
}

function toJson(value: string | readonly string[]): Json {
  return value;
}
