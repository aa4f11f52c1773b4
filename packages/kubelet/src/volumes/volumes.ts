import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import {
  type Container,
  type KeyToPath,
  parseQuantity,
  type Pod,
  quantityValue,
  type Volume,
  type VolumeMount,
  type VolumeProjection,
} from '@manta/api';
import type { MemoryFolder, Mount } from '../sandbox/sandbox.ts';
import { ContainerConfigError, VolumeError } from '../pods/config-error.ts';
import { expand } from '../environment/expand.ts';
import { configMapValue, type PodSources, podField, resourceField, secretValue } from '../environment/pod-sources.ts';

/** What volumes are made from, besides the pod's own sources. */
export interface VolumeSources extends PodSources {
  /** A token for the pod's account; asked for again before it expires. */
  token(audience: string | undefined, seconds: number | undefined): Promise<string>;
  /** The folder that a claim's data live in, for as long as the claim does; undefined when there is no such claim. */
  claimFolder(name: string): string | undefined;
}

/** A volume of a running pod: a folder or file of this machine. */
export interface ReadyVolume {
  readonly path: string;
  readonly isReadOnly: boolean;
  /** Asked to be memory, of this size where one is given. A container that mounts it at `/dev/shm` gets memory of its own there. */
  readonly memory?: { readonly bytes: number | undefined };
}

/** Makes a volume ready, or brings its files up to date. Throws a {@link VolumeError} when something is missing. */
export async function prepareVolume(volume: Volume, folder: string, sources: VolumeSources): Promise<ReadyVolume> {
  try {
    return await readyVolume(volume, folder, sources);
  } catch (error) {
    throw error instanceof ContainerConfigError ? new VolumeError(volume.name, error.message) : error;
  }
}

async function readyVolume(volume: Volume, folder: string, sources: VolumeSources): Promise<ReadyVolume> {
  const path = join(folder, 'volumes', volume.name);
  const { emptyDir, hostPath, persistentVolumeClaim, configMap, secret, projected, downwardAPI } = volume;
  if (emptyDir !== undefined) {
    mkdirSync(path, { recursive: true, mode: 0o777 });
    const memory = emptyDir.medium === 'Memory' ? { memory: { bytes: bytesOf(emptyDir) } } : {};
    return { path, isReadOnly: false, ...memory };
  }
  if (hostPath !== undefined) return hostFolder(hostPath.path, hostPath.type ?? '');
  if (persistentVolumeClaim !== undefined) {
    const { claimName, readOnly = false } = persistentVolumeClaim;
    const data = sources.claimFolder(claimName);
    if (data === undefined) throw new ContainerConfigError(`persistentvolumeclaim "${claimName}" not found`);
    return { path: data, isReadOnly: readOnly };
  }
  const projections = projectionsOf(volume);
  if (projections === undefined)
    throw new ContainerConfigError(`volume "${volume.name}" is of a kind that pods on this machine cannot have`);
  const files = await Promise.all(projections.map((each) => filesOf(each, sources)));
  const mode = projected?.defaultMode ?? configMap?.defaultMode ?? secret?.defaultMode ?? downwardAPI?.defaultMode;
  writeFiles(path, new Map(files.flatMap((each) => [...each])), mode ?? 0o644);
  return { path, isReadOnly: true };
}

/** Makes the folders of a pod's volumes in memory; its sandbox driver decides what is mounted there. */
export function memoryFolders({ spec }: Pod, folder: string): readonly MemoryFolder[] {
  const volumes = (spec?.volumes ?? []).filter(({ emptyDir }) => emptyDir?.medium === 'Memory');
  return volumes.map(({ name, emptyDir }) => {
    const path = join(folder, 'volumes', name);
    mkdirSync(path, { recursive: true, mode: 0o777 });
    const bytes = bytesOf(emptyDir);
    return bytes === undefined ? { path } : { path, bytes };
  });
}

function bytesOf(emptyDir: Volume['emptyDir']): number | undefined {
  const limit = emptyDir?.sizeLimit === undefined ? undefined : parseQuantity(emptyDir.sizeLimit);
  const bytes = limit?.ok === true ? Number(quantityValue(limit.value)) : 0;
  return bytes > 0 ? bytes : undefined;
}

function hostFolder(path: string, type: string): ReadyVolume {
  if (type === 'DirectoryOrCreate') mkdirSync(path, { recursive: true });
  else if (type === 'FileOrCreate' && !existsSync(path)) writeFileSync(path, '');
  else if (!existsSync(path)) throw new ContainerConfigError(`hostPath ${path} does not exist on this machine`);
  return { path, isReadOnly: false };
}

function projectionsOf({ configMap, secret, projected, downwardAPI }: Volume): readonly VolumeProjection[] | undefined {
  if (projected !== undefined) return projected.sources ?? [];
  if (configMap !== undefined) return [{ configMap }];
  if (secret !== undefined) {
    const { secretName, ...rest } = secret;
    return [{ secret: { ...rest, ...(secretName === undefined ? {} : { name: secretName }) } }];
  }
  return downwardAPI === undefined ? undefined : [{ downwardAPI }];
}

/** What is in a file, and its mode where it has one of its own. */
interface File {
  readonly content: Buffer;
  readonly mode?: number | undefined;
}

type Files = ReadonlyMap<string, File>;

async function filesOf(projection: VolumeProjection, sources: VolumeSources): Promise<Files> {
  const { configMap, secret, serviceAccountToken, downwardAPI } = projection;
  if (configMap !== undefined) {
    const { name = '', items, optional } = configMap;
    const map = sources.configMap(name);
    if (map === undefined && optional !== true) throw new ContainerConfigError(`configmap "${name}" not found`);
    const keys = [...Object.keys(map?.data ?? {}), ...Object.keys(map?.binaryData ?? {})];
    return chosen(keys, items, optional, (key) => configMapValue(map, key));
  }
  if (secret !== undefined) {
    const { name = '', items, optional } = secret;
    const stored = sources.secret(name);
    if (stored === undefined && optional !== true) throw new ContainerConfigError(`secret "${name}" not found`);
    return chosen(Object.keys(stored?.data ?? {}), items, optional, (key) => secretValue(stored, key));
  }
  if (serviceAccountToken !== undefined) {
    const { path, audience, expirationSeconds } = serviceAccountToken;
    return new Map([[path, { content: Buffer.from(await sources.token(audience, expirationSeconds)) }]]);
  }
  return new Map(
    (downwardAPI?.items ?? []).map(({ path, fieldRef, resourceFieldRef, mode }) => {
      const { containerName, resource = '', divisor } = resourceFieldRef ?? {};
      const container = sources.pod.spec?.containers.find(({ name }) => name === containerName);
      const text =
        fieldRef !== undefined
          ? (podField(sources, fieldRef.fieldPath) ?? '')
          : container === undefined
            ? ''
            : resourceField(sources, container, resource, divisor);
      return [path, { content: Buffer.from(text), mode }] as const;
    }),
  );
}

function chosen(
  keys: readonly string[],
  items: readonly KeyToPath[] | undefined,
  isOptional: boolean | undefined,
  valueOf: (key: string) => Buffer | undefined,
): Files {
  const wanted: readonly KeyToPath[] = items ?? keys.map((key) => ({ key, path: key }));
  return new Map(
    wanted.flatMap(({ key, path, mode }) => {
      const value = valueOf(key);
      if (value === undefined && isOptional !== true)
        throw new ContainerConfigError(`references non-existent config key: ${key}`);
      return value === undefined ? [] : [[path, { content: value, mode }] as const];
    }),
  );
}

/** Replaces changed files atomically, so that readers never see half of one, and deletes superfluous ones. */
function writeFiles(folder: string, files: Files, defaultMode: number): void {
  mkdirSync(folder, { recursive: true });
  const targets = new Set<string>();
  for (const [path, { content, mode = defaultMode }] of files) {
    const target = join(folder, path);
    if (!target.startsWith(`${folder}/`)) throw new ContainerConfigError(`the path ${path} leads out of its volume`);
    targets.add(target);
    if (isRight(target, content, mode)) continue;
    mkdirSync(dirname(target), { recursive: true });
    const fresh = `${target}.new`;
    rmSync(fresh, { force: true });
    writeFileSync(fresh, content);
    chmodSync(fresh, mode);
    renameSync(fresh, target);
  }
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true }))
    if (entry.isFile() && !targets.has(join(entry.parentPath, entry.name)))
      rmSync(join(entry.parentPath, entry.name), { force: true });
}

/** Does not write an unchanged file, so that file watchers get no event. */
function isRight(file: string, content: Buffer, mode: number): boolean {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats?.isFile() !== true || (stats.mode & 0o7777) !== mode || stats.size !== content.length) return false;
  try {
    return readFileSync(file).equals(content);
  } catch {
    return false;
  }
}

/** What a container sees of the pod's volumes. */
export function mountsOf(
  container: Container,
  volumes: ReadonlyMap<string, ReadyVolume>,
  variables: Readonly<Record<string, string>>,
): readonly Mount[] {
  const mounts = (container.volumeMounts ?? []).filter((mount) => !isSharedMemory(mount, volumes));
  return mounts.map(({ name, mountPath, readOnly = false, subPath, subPathExpr }) => {
    const volume = volumes.get(name);
    if (volume === undefined) throw new ContainerConfigError(`volume "${name}" is not ready`);
    const inside = subPathExpr === undefined ? subPath : expand(subPathExpr, variables);
    const part = inside === undefined || inside === '' ? {} : partOf(volume, name, inside);
    const target = mountPath.replace(/\/+$/, '') || '/';
    return { kind: 'bind', source: volume.path, target, isReadOnly: readOnly || volume.isReadOnly, ...part };
  });
}

/**
 * The part of a volume that a subPath stands for. Links that stay in the volume are followed now; whoever mounts it follows none, so that a
 * pod cannot put one there meanwhile.
 */
function partOf({ path, memory }: ReadyVolume, name: string, inside: string): Partial<Mount & { kind: 'bind' }> {
  const wanted = join(path, inside);
  if (wanted === path || wanted === `${path}/`) return {};
  if (!wanted.startsWith(`${path}/`))
    throw new ContainerConfigError(`the subPath ${inside} leads out of volume "${name}"`);
  // What is in memory is seen from inside the pod's namespaces only.
  if (memory !== undefined) return { within: relative(path, wanted) };
  const source = realpathSync(path);
  const real = realPathOf(join(source, relative(path, wanted)));
  if (real === source) return {};
  if (!real.startsWith(`${source}/`))
    throw new ContainerConfigError(`the subPath ${inside} leads out of volume "${name}" through a symbolic link`);
  return { source, within: relative(source, real) };
}

/** Where a path leads, whether or not its last parts exist. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // A link to nowhere would be made to lead somewhere.
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true) return '/';
    return join(realPathOf(dirname(path)), basename(path));
  }
}

/** The size of the container's `/dev/shm`, where a volume in memory is mounted there. */
export function sharedMemoryBytes(container: Container, volumes: ReadonlyMap<string, ReadyVolume>): number | undefined {
  const mount = container.volumeMounts?.find((each) => isSharedMemory(each, volumes));
  return mount === undefined ? undefined : volumes.get(mount.name)?.memory?.bytes;
}

function isSharedMemory({ name, mountPath }: VolumeMount, volumes: ReadonlyMap<string, ReadyVolume>): boolean {
  return mountPath === '/dev/shm' && volumes.get(name)?.memory !== undefined;
}

/** Takes a volume's files away. */
export function removeVolumes(folder: string): void {
  rmSync(join(folder, 'volumes'), { recursive: true, force: true });
}
