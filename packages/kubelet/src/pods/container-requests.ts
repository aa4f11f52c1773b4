import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Container, Pod } from '@manta/api';
import type { Stored } from '@manta/controllers';
import type { ContainerGroup } from '../limits/cgroups.ts';
import { limitsOf } from '../limits/limits-of.ts';
import { NoCommandError } from './config-error.ts';
import type { ContainerRequest } from './container-runner.ts';
import { environmentOf } from '../environment/environment.ts';
import { expand } from '../environment/expand.ts';
import { KeptTokens } from '../volumes/kept-tokens.ts';
import type { NodeServices } from './pod-worker.ts';
import { OBJECT_STORE_VARIABLE, objectStoreBytes, sharedMemoryFor } from '../environment/ray-memory.ts';
import {
  mountsOf,
  prepareVolume,
  type ReadyVolume,
  sharedMemoryBytes,
  type VolumeSources,
} from '../volumes/volumes.ts';

const DEFAULT_SHM_BYTES = 512 * 1024 * 1024;

/** The pod as it is now, and its address. */
type Current = () => { readonly pod: Stored<Pod>; readonly ip: string };

/** Makes the processes of a pod's containers from their specs: variables, volumes, files, control groups. */
export class ContainerRequests {
  readonly #node: NodeServices;
  readonly #folder: string;
  readonly #current: Current;
  readonly #tokens: KeptTokens;
  readonly #volumes = new Map<string, ReadyVolume>();
  readonly #groups = new Map<string, ContainerGroup>();

  constructor(node: NodeServices, folder: string, current: Current) {
    this.#node = node;
    this.#folder = folder;
    this.#current = current;
    this.#tokens = new KeptTokens(node.clock);
  }

  /** The process of a container's next run; throws a ContainerConfigError when it cannot be made now. */
  async make(container: Container, attempt: number): Promise<ContainerRequest> {
    const { pod } = this.#current();
    const sources = this.sources();
    await this.#prepareVolumes(sources);
    const image = this.#node.images(container.image ?? '');
    const isRay = container.image?.includes('rayproject/') === true;
    const storeBytes = objectStoreBytes(container);
    const base = {
      ...(image.kind === 'known' ? image.env : {}),
      ...(await this.#node.linksOf(pod)),
      ...(isRay ? { [OBJECT_STORE_VARIABLE]: String(storeBytes) } : {}),
    };
    const env = environmentOf(container, sources, { ...base, HOSTNAME: pod.metadata.name, ...this.#node.env });
    const shmBytes =
      sharedMemoryBytes(container, this.#volumes) ??
      (isRay ? Math.max(DEFAULT_SHM_BYTES, sharedMemoryFor(storeBytes)) : DEFAULT_SHM_BYTES);
    const messageFile = this.#freshFiles(container.name, attempt);
    const messagePath = container.terminationMessagePath ?? '/dev/termination-log';
    const fallback = image.kind === 'known' ? (image.command ?? []) : [];
    const command = [...(container.command ?? fallback), ...(container.args ?? [])];
    if (command.length === 0)
      throw new NoCommandError(`container ${container.name} has no command, and none is known of its image`);
    return {
      name: container.name,
      command: command.map((word) => expand(word, env)),
      env,
      mounts: [
        ...mountsOf(container, this.#volumes, env),
        { kind: 'bind', source: messageFile, target: messagePath, isReadOnly: false },
      ],
      programs: image.kind === 'known' ? (image.programs ?? []) : [],
      workingDir: container.workingDir ?? (isRay ? '/home/ray' : '/'),
      shmBytes,
      output: join(this.#folder, 'logs', `${container.name}.${attempt}.log`),
      messageFile,
      joins: this.#group(container)?.joins ?? [],
    };
  }

  /** Prepares all volumes that the pod's containers mount, before any container starts. A prepared volume stays even if its source was deleted. */
  async #prepareVolumes(sources: VolumeSources): Promise<void> {
    const { spec } = this.#current().pod;
    const containers = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])];
    const mounted = new Set(containers.flatMap(({ volumeMounts = [] }) => volumeMounts.map(({ name }) => name)));
    for (const volume of spec?.volumes ?? []) {
      if (!mounted.has(volume.name)) continue;
      const known = this.#volumes.get(volume.name);
      const ready = prepareVolume(volume, this.#folder, sources);
      this.#volumes.set(volume.name, known === undefined ? await ready : await ready.catch(() => known));
    }
  }

  /** The file for a run's message. Of earlier runs the last one's output stays. */
  #freshFiles(name: string, attempt: number): string {
    const folder = join(this.#folder, 'logs');
    for (const old of [`${name}.${attempt - 2}.log`, `${name}.${attempt - 1}.message`])
      rmSync(join(folder, old), { force: true });
    const messageFile = join(folder, `${name}.${attempt}.message`);
    writeFileSync(messageFile, '');
    // Writable for any user that the container's programs run as.
    chmodSync(messageFile, 0o666);
    return messageFile;
  }

  /** The container's control groups, recreated for each run, so that an OOM kill is attributed to this run. */
  #group(container: Container): ContainerGroup | undefined {
    this.#groups.get(container.name)?.remove();
    const group = this.#node.cgroups?.create(
      `${this.#current().pod.metadata.uid}-${container.name}`,
      limitsOf(container),
    );
    if (group !== undefined) this.#groups.set(container.name, group);
    return group;
  }

  /** What variables and volumes are made of now. */
  sources(): VolumeSources {
    const { pod, ip: podIp } = this.#current();
    const { hostIp, nodeCapacity } = this.#node;
    const sources = this.#node.sourcesOf(pod);
    const token = this.#tokens.of((...asked) => sources.token(...asked));
    return { ...sources, token, pod, podIp, hostIp, nodeCapacity };
  }

  /** Whether something in a container was killed for want of memory. */
  hasRunOut(container: string): boolean {
    return this.#groups.get(container)?.hasRunOut() === true;
  }

  /** Nothing runs any more. */
  removeGroups(): void {
    for (const group of this.#groups.values()) group.remove();
  }
}
