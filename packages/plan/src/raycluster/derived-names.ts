import { sha256 } from '@manta/api';

const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const LENGTH = 5;

/**
 * Completes a `generateName` by a suffix that looks like Kubernetes' own and is derived: the same place in the same cluster, after the
 * same predecessor, always gets the same name. Repeating a create after a crash or a lost answer therefore cannot make a second pod.
 * `taken` are names that must not come back, such as those that Ray's autoscaler has asked to delete.
 */
export function derivedPodName(
  prefix: string,
  place: {
    readonly clusterUid: string;
    readonly group: string;
    readonly place: string;
    readonly predecessor: string | undefined;
  },
  taken: ReadonlySet<string>,
): string {
  for (let attempt = 0; ; attempt += 1) {
    const seed = [place.clusterUid, place.group, place.place, place.predecessor ?? '', String(attempt)].join('\u0000');
    const name = prefix + suffixOf(sha256(seed));
    if (!taken.has(name)) return name;
  }
}

/** The suffix of a name that belongs to several pods at once, such as a multi-host replica. */
export function derivedSuffix(...seed: readonly string[]): string {
  return suffixOf(sha256(seed.join('\u0000')));
}

function suffixOf(hash: string): string {
  let rest = BigInt(`0x${hash.slice(0, 16)}`);
  let suffix = '';
  for (let i = 0; i < LENGTH; i += 1) {
    suffix += ALPHABET.charAt(Number(rest % BigInt(ALPHABET.length)));
    rest /= BigInt(ALPHABET.length);
  }
  return suffix;
}
