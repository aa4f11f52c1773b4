import type { CustomResourceDefinition } from '@manta/api';
import type { Json, JsonObject } from '../object/json.ts';

interface Verdict {
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

const NAMES_FREE: Verdict = { status: 'True', reason: 'NoConflicts', message: 'no conflicts found' };
const SERVED: Verdict = {
  status: 'True',
  reason: 'InitialNamesAccepted',
  message: 'the initial names have been accepted',
};
const NOT_SERVED: Verdict = { status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' };

type Names = CustomResourceDefinition['spec']['names'];

/** The status of a definition: whether its names are free, whether it is served, and which versions were ever stored. */
export function definitionStatus(
  definition: CustomResourceDefinition,
  others: readonly CustomResourceDefinition[],
  now: string,
): JsonObject {
  const { group, names, versions } = definition.spec;
  const taken = others.filter((other) => other.spec.group === group).map(({ status }) => status?.acceptedNames);
  const namesAccepted =
    conflictOf(
      names,
      taken.filter((accepted) => accepted !== undefined),
    ) ?? NAMES_FREE;
  const isAccepted = namesAccepted.status === 'True';
  const wasServed = (definition.status?.conditions ?? []).some(
    ({ type, status }) => type === 'Established' && status === 'True',
  );
  const storage = versions.find((version) => version.storage)?.name;
  const known = definition.status?.storedVersions ?? [];
  const condition = (type: string, verdict: Verdict): JsonObject => {
    const before = (definition.status?.conditions ?? []).find((candidate) => candidate.type === type);
    const time = before?.status === verdict.status ? (before.lastTransitionTime ?? now) : now;
    return { type, lastTransitionTime: time, ...verdict };
  };
  return {
    conditions: [
      condition('NamesAccepted', namesAccepted),
      condition('Established', isAccepted || wasServed ? SERVED : NOT_SERVED),
    ],
    acceptedNames: isAccepted ? namesJson(names) : { plural: '', kind: '' },
    storedVersions: storage === undefined || known.includes(storage) ? known : [...known, storage],
  };
}

function conflictOf(names: Names, taken: readonly Names[]): Verdict | undefined {
  const resources = taken.flatMap(({ plural, singular, shortNames = [] }) => [plural, singular, ...shortNames]);
  const kinds = taken.flatMap(({ kind, listKind }) => [kind, listKind]);
  const inUse = (reason: string, name: string): Verdict => ({
    status: 'False',
    reason,
    message: `"${name}" is already in use`,
  });
  const { plural, singular = '', shortNames = [], kind, listKind = '' } = names;
  // The last conflict is reported.
  if (listKind !== '' && kinds.includes(listKind)) return inUse('ListKindConflict', listKind);
  if (kinds.includes(kind)) return inUse('KindConflict', kind);
  const short = shortNames.find((name) => resources.includes(name));
  if (short !== undefined) return inUse('ShortNamesConflict', short);
  if (singular !== '' && resources.includes(singular)) return inUse('SingularConflict', singular);
  return resources.includes(plural) ? inUse('PluralConflict', plural) : undefined;
}

function namesJson(names: Names): JsonObject {
  const known: [string, Json][] = [];
  for (const [key, value] of Object.entries(names)) known.push([key, value]);
  return Object.fromEntries(known);
}
