import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Cluster, readOne, persistentVolumeClaims } from '@manta/controllers';
import { livingClaims } from './claim-binder.ts';
import { removeFolder } from './remove-folder.ts';

/** The data of claims: each is stored in `<data-dir>/claims/<uid>`. */
export class ClaimFolders {
  readonly #cluster: Pick<Cluster, 'store'>;
  readonly #folder: string;
  /** The pods that have been given a claim, by the claim's uid. */
  readonly #users = new Map<string, Set<string>>();

  constructor(cluster: Pick<Cluster, 'store'>, dataDir: string) {
    this.#cluster = cluster;
    this.#folder = join(dataDir, 'claims');
    // Only the owner may look into it: pods keep secrets there.
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
  }

  /** The folder of a claim, for a pod that mounts it; undefined when there is no such claim. */
  of(namespace: string, name: string, podUid: string): string | undefined {
    const claim = readOne(this.#cluster.store, persistentVolumeClaims, namespace, name);
    if (claim === undefined) return undefined;
    const { uid } = claim.metadata;
    this.#users.set(uid, (this.#users.get(uid) ?? new Set()).add(podUid));
    const folder = join(this.#folder, uid);
    mkdirSync(folder, { recursive: true });
    return folder;
  }

  /**
   * Removes the data of deleted claims. A claim that a running pod still has mounted keeps its data until a later call: the pod could exchange a
   * folder for a symbolic link while it is being removed, and the engine would remove files of its user instead.
   */
  sweep(isRunning: (podUid: string) => boolean): void {
    const alive = livingClaims(this.#cluster);
    for (const uid of readdirSafely(this.#folder)) {
      if (alive.has(uid) || [...(this.#users.get(uid) ?? [])].some(isRunning)) continue;
      this.#users.delete(uid);
      removeFolder(join(this.#folder, uid));
    }
  }
}

function readdirSafely(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
