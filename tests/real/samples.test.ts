import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { ApiAnswer } from '../support/api-request.ts';
import { createTestNamespace } from '../support/namespace.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { sharedFolder } from '../support/shared-folder.ts';
import { installCrds, surprise } from './ray-api.ts';

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name?: string; readonly namespace?: string };
}

interface Resource {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

const folder = join(sharedFolder(), 'reference', 'samples');
const hasSamples = existsSync(folder);
const files = hasSamples ? readdirSync(folder).filter((file) => file.endsWith('.yaml')) : [];

function documentsOf(file: string): readonly Manifest[] {
  return parseAllDocuments(readFileSync(join(folder, file), 'utf8')).map((document) => document.toJS() as Manifest);
}

/** Kinds of the samples whose CRDs belong to others; the server cannot know them here. */
const foreignKinds = [
  'gateway.networking.k8s.io/v1 Gateway',
  'gateway.networking.k8s.io/v1 HTTPRoute',
  'scheduling.run.ai/v2 Queue',
  'scheduling.volcano.sh/v1beta1 Queue',
];

const isForeign = ({ apiVersion, kind }: Manifest): boolean => foreignKinds.includes(`${apiVersion} ${kind}`);

const leftOut = hasSamples ? '' : `; left out, since the samples are not at ${folder}`;

describe.skipIf(!hasSamples)(`the samples are accepted by the API server${leftOut}`, () => {
  const plane = sharedControlPlane();
  const resources = new Map<string, readonly Resource[]>();
  let namespace: string;

  beforeAll(async () => {
    await installCrds(plane);
    namespace = (await createTestNamespace(plane)).name;
  });

  async function resourceOf({ apiVersion, kind }: Manifest): Promise<Resource> {
    const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    if (!resources.has(root)) {
      const { body } = await plane.request('GET', root);
      resources.set(root, (body as { resources: readonly Resource[] }).resources);
    }
    const found = resources.get(root)?.find((resource) => resource.kind === kind && !resource.name.includes('/'));
    if (found === undefined) throw new Error(`The server does not know ${apiVersion} ${kind}.`);
    return found;
  }

  /** Strict: a field that the schema would prune is an error, too. */
  async function dryRun(manifest: Manifest): Promise<ApiAnswer> {
    const resource = await resourceOf(manifest);
    const root = manifest.apiVersion.includes('/') ? `/apis/${manifest.apiVersion}` : `/api/${manifest.apiVersion}`;
    const scope = resource.namespaced ? `/namespaces/${namespace}` : '';
    const object = resource.namespaced ? { ...manifest, metadata: { ...manifest.metadata, namespace } } : manifest;
    return plane.request('POST', `${root}${scope}/${resource.name}?dryRun=All&fieldValidation=Strict`, object);
  }

  it.each(files)('%s', async (file) => {
    const documents = documentsOf(file);
    expect(documents.length).toBeGreaterThan(0);
    for (const manifest of documents.filter((document) => !isForeign(document))) {
      expect(surprise(await dryRun(manifest), 201)).toBeUndefined();
    }
  });

  it('all 85 files were read, and 8 of their documents are of kinds that others own', () => {
    expect(files).toHaveLength(85);
    const foreign = files.flatMap(documentsOf).filter(isForeign);
    expect(new Set(foreign.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`))).toEqual(new Set(foreignKinds));
    expect(foreign).toHaveLength(8);
  });
});
