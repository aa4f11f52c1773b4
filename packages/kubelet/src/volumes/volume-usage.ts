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

/** The disk usage of a folder. Files that are deleted meanwhile do not count, and a file with several hard links counts once. */
async function bytesIn(top: string): Promise<number> {
  let bytes = 0;
  const counted = new Set<string>();
  const folders = [top];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(path);
      const stats = entry.isFile() ? await lstat(path).catch(() => undefined) : undefined;
      if (stats === undefined || counted.has(`${stats.dev}:${stats.ino}`)) continue;
      if (stats.nlink > 1) counted.add(`${stats.dev}:${stats.ino}`);
      bytes += stats.blocks * 512;
    }
  }
  return bytes;
}
