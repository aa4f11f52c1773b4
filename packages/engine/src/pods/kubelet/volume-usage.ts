import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Pod, parseQuantity, quantityValue } from '@manta/api';

/** Why a pod has to go because of what it keeps in an `emptyDir`; undefined where it keeps to its limits. Those in memory keep to theirs by themselves. */
export async function whyTooLarge({ spec }: Pod, folder: string): Promise<string | undefined> {
  for (const { name, emptyDir } of spec?.volumes ?? []) {
    if (emptyDir?.sizeLimit === undefined || emptyDir.medium === 'Memory') continue;
    const limit = parseQuantity(emptyDir.sizeLimit);
    if (!limit.ok || quantityValue(limit.value) <= 0n) continue;
    if (BigInt(await bytesIn(join(folder, 'volumes', name))) > quantityValue(limit.value))
      return `Usage of EmptyDir volume "${name}" exceeds the limit "${emptyDir.sizeLimit}". `;
  }
  return undefined;
}

/** What a folder takes on the disk, with all that is in it; what goes meanwhile does not count. */
async function bytesIn(path: string): Promise<number> {
  const entries = await readdir(path, { withFileTypes: true, recursive: true }).catch(() => []);
  let bytes = 0;
  for (const entry of entries) {
    const stats = entry.isFile() ? await lstat(join(entry.parentPath, entry.name)).catch(() => undefined) : undefined;
    bytes += (stats?.blocks ?? 0) * 512;
  }
  return bytes;
}
