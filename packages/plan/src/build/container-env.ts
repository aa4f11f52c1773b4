import type { Container, EnvVar } from '@manta/api';

/** Appends variables whatever is there already; of two with one name Kubernetes takes the later. */
export function appendEnv(container: Container, variables: readonly EnvVar[]): Container {
  return variables.length === 0 ? container : { ...container, env: [...(container.env ?? []), ...variables] };
}

/** Appends those variables whose names the container does not have yet: the user's own value wins. */
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
