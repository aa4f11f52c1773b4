/** The history collector: its image, its storage, and no container of its name. */
import { ContainerName } from '../container-names.ts';
import type { EnvVar } from '../core.gen.ts';
import { CollectorEnvName, EnvName } from '../env.ts';
import { isSet, type Loose, listOf, textOf } from '../loose.ts';
import { type FieldError, fieldError } from './field-error.ts';
import { type ClusterInput, containersOf, firstGroupError } from './input.ts';

const {
  AzureStorageAccountUrl,
  AzureStorageAuthMode,
  AzureStorageConnectionString,
  GcsBucket,
  OssBucket,
  OssEndpoint,
  OssRegion,
  S3Region,
  StorageBackend,
} = CollectorEnvName;

/** Variables that we give the collector ourselves, in the order in which they are looked for. */
const MANAGED_NAMES = [
  EnvName.PodIp,
  EnvName.FqRayIp,
  EnvName.RayClusterName,
  EnvName.RayClusterNamespace,
  CollectorEnvName.RayRole,
  CollectorEnvName.OwnerKind,
  CollectorEnvName.OwnerName,
  CollectorEnvName.EventsPort,
];

/** All rules on the history server, in their order. */
export function checkHistoryServer(input: ClusterInput): FieldError | undefined {
  const options = input.spec?.historyServerOptions;
  if (!isSet(options)) return undefined;
  const path = `${input.at}.historyServerOptions`;
  if (!input.gates.RayClusterHistoryServer) {
    return fieldError(path, 'RayClusterHistoryServer feature gate is not enabled');
  }
  const collector = options?.collectorOptions;
  const collectorPath = `${path}.collectorOptions`;
  if (!isSet(collector)) return fieldError(collectorPath, 'historyServerOptions.collectorOptions must be set');
  if (textOf(collector?.image) === '') {
    return fieldError(`${collectorPath}.image`, 'historyServerOptions.collectorOptions.image must be set');
  }
  const problem = collectorEnvProblem(lastByName(listOf(collector?.env)));
  return problem === undefined ? checkContainerNames(input) : fieldError(`${collectorPath}.env`, problem);
}

type EnvByName = ReadonlyMap<string, Loose<EnvVar>>;

function lastByName(env: readonly Loose<EnvVar>[]): EnvByName {
  return new Map(env.map((variable) => [textOf(variable?.name), variable]));
}

function collectorEnvProblem(env: EnvByName): string | undefined {
  const managed = MANAGED_NAMES.find((name) => env.has(name));
  if (managed !== undefined) {
    const why = 'it is managed by KubeRay and injected automatically into the collector container';
    return `historyServerOptions.collectorOptions.env must not contain ${managed}: ${why}`;
  }
  const backend = textOf(env.get(StorageBackend)?.value);
  if (backend === '') {
    const where = 'in historyServerOptions.collectorOptions.env';
    return `${StorageBackend} environment variable must be set with a literal string value ${where}`;
  }
  return backendProblem(backend.toUpperCase(), env);
}

function backendProblem(backend: string, env: EnvByName): string | undefined {
  switch (backend) {
    case 'GCS':
      return requireAll(env, [GcsBucket], backend);
    case 'S3':
      return requireAll(env, [S3Region], backend);
    case 'ALIYUNOSS':
      return requireAll(env, [OssBucket, OssEndpoint, OssRegion], backend);
    case 'AZUREBLOB':
      return azureProblem(env);
    default:
      return undefined;
  }
}

function azureProblem(env: EnvByName): string | undefined {
  const mode = textOf(env.get(AzureStorageAuthMode)?.value).trim().toLowerCase();
  const when = `AZUREBLOB and ${AzureStorageAuthMode} is ${mode}`;
  if (mode === 'connection_string') return requireAll(env, [AzureStorageConnectionString], when);
  if (mode === 'workload_identity' || mode === 'default') return requireAll(env, [AzureStorageAccountUrl], when);
  if (hasValue(env, AzureStorageConnectionString) || hasValue(env, AzureStorageAccountUrl)) return undefined;
  const either = `either ${AzureStorageConnectionString} or ${AzureStorageAccountUrl}`;
  return `${either} environment variable must be set when ${StorageBackend} is AZUREBLOB`;
}

function requireAll(env: EnvByName, names: readonly string[], when: string): string | undefined {
  const missing = names.find((name) => !hasValue(env, name));
  if (missing === undefined) return undefined;
  return `${missing} environment variable must be set when ${StorageBackend} is ${when}`;
}

function hasValue(env: EnvByName, name: string): boolean {
  const variable = env.get(name);
  return textOf(variable?.value) !== '' || isSet(variable?.valueFrom);
}

function checkContainerNames(input: ClusterInput): FieldError | undefined {
  const name = ContainerName.Collector;
  const rule = `pod template must not define a container with name '${name}' when history server collector options are enabled`;
  const { spec, at } = input;
  if (containersOf(spec?.headGroupSpec).some((container) => container?.name === name)) {
    return fieldError(`${at}.headGroupSpec.template.spec.containers`, `head ${rule}`);
  }
  return firstGroupError(input, ({ group, name: groupName, at: path }) =>
    containersOf(group).some((container) => container?.name === name)
      ? fieldError(`${path}.template.spec.containers`, `worker group ${groupName} ${rule}`)
      : undefined,
  );
}
