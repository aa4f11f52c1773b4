import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CustomResourceDefinition } from '@manta/api';
import { parse } from 'yaml';
import { provideDefinitions, type PublishedDefinitions } from '../../tools/fetch/kube/go-module.ts';
import { PUBLISHED } from '../../tools/fetch/kube/published.ts';
import type { PlaneClient } from './plane-client.ts';

/** A server that takes requests of an administrator: a real one, or ours. */
export type DefinitionServer = Pick<PlaneClient, 'request'>;

const PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Published definitions, as their authors wrote them. */
async function publishedCrds(
  source: PublishedDefinitions,
  files: readonly string[],
): Promise<readonly CustomResourceDefinition[]> {
  const folder = await provideDefinitions(source);
  return files.map((file) => parse(readFileSync(join(folder, file), 'utf8')));
}

/** Has the server know kinds by their published definitions; they may be there already. Resolves when they are served. */
export async function installPublished(
  plane: DefinitionServer,
  source: PublishedDefinitions,
  files: readonly string[],
): Promise<void> {
  const definitions = await publishedCrds(source, files);
  for (const crd of definitions) {
    const made = await plane.request('POST', PATH, crd);
    if (made.status !== 201 && made.status !== 409) throw new Error(made.text);
  }
  for (const crd of definitions) await served(plane, crd);
}

/** The kinds of the Prometheus operator that we write. */
export async function installPrometheusCrds(plane: DefinitionServer): Promise<void> {
  const plurals = ['podmonitors', 'prometheusrules', 'servicemonitors'];
  await installPublished(
    plane,
    PUBLISHED.prometheus,
    plurals.map((plural) => `monitoring.coreos.com_${plural}.yaml`),
  );
}

async function served(plane: DefinitionServer, { spec }: CustomResourceDefinition): Promise<void> {
  const { group, names, versions } = spec;
  const version = versions.find((each) => each.served)?.name;
  const giveUpAt = Date.now() + 20_000;
  while ((await plane.request('GET', `/apis/${group}/${version}/${names.plural}?limit=1`)).status !== 200) {
    if (Date.now() > giveUpAt) throw new Error(`${names.plural}.${group} is not served`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
