import type { Container, EnvVar } from '@manta/api';

/** Appends variables even if the name exists: Kubernetes uses the last value of a name. */
export function appendEnv(container: Container, variables: readonly EnvVar[]): Container {
  return variables.length === 0 ? container : { ...container, env: [...(container.env ?? []), ...variables] };
}

/** Appends only variables that the container does not have: the user's value wins. */
export function addMissingEnv(container: Container, variables: readonly EnvVar[]): Container {
  return variables.reduce(
    (result, variable) => (hasEnv(result, variable.name) ? result : appendEnv(result, [variable])),
    container,
  );
}

export function hasEnv(container: Container, name: string): boolean {
  return container.env?.some((variable) => variable.name === name) ?? false;
}

export function envFromField(name: string, fieldPath: string): EnvVar {
  return { name, valueFrom: { fieldRef: { fieldPath } } };
}
