import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CustomResourceDefinition } from '@manta/api';
import { sharedCrds } from '@manta/api/crds';
import { type Engine, type EngineOptions, writeWhole } from '@manta/local';
import { type KubeClient, resources } from '@manta/kube';
import { FIELD_MANAGER, installCrds } from './install-crds.ts';

/** Our CRDs as an engine takes them at its first start, without the work of an apply; those of the Gateway API where the router runs. */
export async function firstDefinitions(isRouting: boolean): Promise<NonNullable<EngineOptions['definitions']>> {
  const further = isRouting ? (await import('@manta/router')).gatewayCrds() : [];
  return { objects: [...sharedCrds(), ...further], fieldManager: FIELD_MANAGER };
}

/**
 * Sees to it that an engine has our CRDs as they are now. A new one has just been given them all; on a used one applying them is most of a
 * start's work, so it is left out where they are as `rememberCrds` saw them, and between two of them the engine answers whoever asks.
 */
export async function ensureCrds({ client, planted }: Engine, dataDir: string): Promise<void> {
  const ours = sharedCrds();
  const isNew = ours.every(({ metadata }) => planted.includes(metadata?.name ?? ''));
  if (isNew || read(fileIn(dataDir)) === (await digest(client, ours))) return;
  await installCrds(client, nextTurn);
}

/** Notes how an engine has our CRDs, for its next start. */
export async function rememberCrds({ client }: Engine, dataDir: string): Promise<void> {
  const now = await digest(client, sharedCrds());
  if (read(fileIn(dataDir)) !== now) writeWhole(fileIn(dataDir), now);
}

function fileIn(dataDir: string): string {
  return join(dataDir, 'crds.sha256');
}

/** Our CRDs, and which state of which objects the cluster has in their place. */
async function digest(client: KubeClient, ours: readonly CustomResourceDefinition[]): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(ours));
  const { items } = await client.list(resources.customResourceDefinitions);
  for (const { name } of ours.map((crd) => crd.metadata ?? {})) {
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
