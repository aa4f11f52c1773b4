/** One step from the root of an object: a field's name, an item's index, or a key of a map. */
export type Step = string | number | MapKey;

/** A key of a map, which messages write in brackets where they write a field's name after a dot. */
export interface MapKey {
  readonly key: string;
}

/** Writes steps as most messages do: `spec.containers[0].env`, `spec.limits[cpu]`; `<nil>` is the object itself. */
export function fieldPath(steps: readonly Step[]): string {
  let path = '';
  for (const step of steps) {
    if (typeof step === 'number') path += `[${step}]`;
    else if (typeof step === 'string') path += path === '' ? step : `.${step}`;
    else path += `[${step.key}]`;
  }
  return path === '' ? '<nil>' : path;
}

/** Writes steps as schema validation and pruning do: keys of maps after a dot, too. */
export function dottedPath(steps: readonly Step[]): string {
  let path = '';
  for (const step of steps) {
    if (typeof step === 'number') path += `[${step}]`;
    else {
      const name = typeof step === 'string' ? step : step.key;
      path += path === '' ? name : `.${name}`;
    }
  }
  return path;
}
