import type { Container, EnvFromSource, EnvVar } from '@manta/api';
import { ContainerConfigError } from '../pods/config-error.ts';
import { expand } from './expand.ts';
import { configMapValue, type PodSources, podField, resourceField, secretValue } from './pod-sources.ts';

type Variables = Record<string, string>;

/**
 * The variables of a container: the image's, then those of `envFrom`, then those of `env` in their order, each of which may use the ones
 * before it. Throws a {@link ContainerConfigError} when something that is named does not exist.
 */
export function environmentOf(
  container: Container,
  sources: PodSources,
  base: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  let variables: Variables = { ...base };
  for (const source of container.envFrom ?? []) variables = { ...variables, ...fromSource(source, sources) };
  for (const variable of container.env ?? []) {
    const value = valueOf(variable, container, sources, variables);
    if (value !== undefined) variables = { ...variables, [variable.name]: value };
  }
  return variables;
}

function fromSource({ prefix = '', configMapRef, secretRef }: EnvFromSource, sources: PodSources): Variables {
  if (configMapRef !== undefined) {
    const { name = '', optional } = configMapRef;
    const map = sources.configMap(name);
    if (map === undefined && optional !== true) throw missing('configmap', name);
    return prefixed(prefix, map?.data ?? {});
  }
  const { name = '', optional } = secretRef ?? {};
  const secret = sources.secret(name);
  if (secret === undefined && optional !== true) throw missing('secret', name);
  const texts = Object.keys(secret?.data ?? {}).map((key) => [key, String(secretValue(secret, key))] as const);
  return prefixed(prefix, Object.fromEntries(texts));
}

function prefixed(prefix: string, values: Readonly<Record<string, string>>): Variables {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [prefix + key, value]));
}

function valueOf(
  { value, valueFrom }: EnvVar,
  container: Container,
  sources: PodSources,
  before: Readonly<Variables>,
): string | undefined {
  if (valueFrom === undefined) return expand(value ?? '', before);
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } = valueFrom;
  if (fieldRef !== undefined) {
    const field = podField(sources, fieldRef.fieldPath);
    if (field === undefined)
      throw new ContainerConfigError(`${fieldRef.fieldPath} is no field of a pod that can be used here`);
    return field;
  }
  if (resourceFieldRef !== undefined) {
    const { containerName, resource, divisor } = resourceFieldRef;
    const named = sources.pod.spec?.containers.find(({ name }) => name === containerName) ?? container;
    return resourceField(sources, named, resource, divisor);
  }
  if (configMapKeyRef !== undefined) {
    const { name = '', key, optional } = configMapKeyRef;
    return keyOf(
      'configmap',
      name,
      key,
      optional,
      configMapValue(sources.configMap(name), key),
      sources.configMap(name) !== undefined,
    );
  }
  if (secretKeyRef === undefined) return '';
  const { name = '', key, optional } = secretKeyRef;
  return keyOf(
    'secret',
    name,
    key,
    optional,
    secretValue(sources.secret(name), key),
    sources.secret(name) !== undefined,
  );
}

function keyOf(
  kind: string,
  name: string,
  key: string,
  isOptional: boolean | undefined,
  value: Buffer | undefined,
  exists: boolean,
): string | undefined {
  if (value !== undefined) return value.toString('utf8');
  if (isOptional === true) return undefined;
  throw exists ? new ContainerConfigError(`couldn't find key ${key} in ${kind} ${name}`) : missing(kind, name);
}

function missing(kind: string, name: string): ContainerConfigError {
  return new ContainerConfigError(`${kind} "${name}" not found`);
}
