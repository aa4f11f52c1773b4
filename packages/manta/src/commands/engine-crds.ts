import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { crds } from '@manta/api/crds';
import { writeWhole } from '@manta/engine';
import { type KubeClient, resources } from '@manta/kube';
import { installCrds } from './crds.ts';

/**
 * Sees to it that an engine has our CRDs. Applying them is most of a start's work, so it is left out where they are as we left them; and
 * between two of them the engine answers whoever asks.
 */
export async function ensureCrds(client: KubeClient, dataDir: string): Promise<void> {
  const file = join(dataDir, 'crds.sha256');
  await nextTurn();
  if (read(file) === (await digest(client))) return;
  await installCrds(client, nextTurn);
  writeWhole(file, await digest(client));
}

/** Our CRDs, and which state of which objects the cluster has in their place. */
async function digest(client: KubeClient): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(crds()));
  const { items } = await client.list(resources.customResourceDefinitions);
  for (const { name } of crds().map((crd) => crd.metadata ?? {})) {
    const { uid, generation } = items.find(({ metadata }) => metadata?.name === name)?.metadata ?? {};
    hash.update(`\n${name} ${uid} ${generation}`);
  }
  return hash.digest('hex');
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
