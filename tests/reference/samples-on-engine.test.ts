import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject } from '@manta/api';
import { sharedCrds } from '@manta/api/crds';
import { startTestEngine, type TestEngine } from '@manta/apiserver/testing';
import { ApiError, resources, type ResourceType } from '@manta/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { sharedFolder } from '../support/shared-folder.ts';
import { NOT_ACCEPTED, WHY_NOT_READY } from '../support/samples-on-engine.ts';

const folder = join(sharedFolder(), 'reference/samples');
const files = readdirSync(folder).filter((file) => file.endsWith('.yaml'));

describe('every sample, on the embedded engine,', () => {
  let engine: TestEngine;
  beforeAll(async () => {
    engine = await startTestEngine({ hasServiceAccounts: false });
    for (const crd of sharedCrds()) await engine.client.create(resources.customResourceDefinitions, crd);
  });
  afterAll(() => engine.stop());

  it.each(files)('%s is accepted, but for kinds of others that it asks for', async (file) => {
    const namespace = `s-${files.indexOf(file)}`;
    await engine.client.create(resources.namespaces, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace },
    });
    const refused: string[] = [];
    for (const document of parseAllDocuments(readFileSync(join(folder, file), 'utf8'))) {
      const object: KubeObject | null = document.toJS();
      if (object === null) continue;
      const problem = await offer(engine, object, namespace);
      if (problem !== undefined) refused.push(`${object.kind}: ${problem}`);
    }
    expect(refused).toEqual(NOT_ACCEPTED[file] ?? []);
  });

  it('is in the table of those that cannot become ready here only if it exists', () => {
    expect(Object.keys(WHY_NOT_READY).filter((file) => !files.includes(file))).toEqual([]);
    expect(Object.keys(NOT_ACCEPTED).filter((file) => !(file in WHY_NOT_READY))).toEqual([]);
  });
});

/** Creates an object; gives what the engine says against it. */
async function offer({ api, client }: TestEngine, object: KubeObject, namespace: string): Promise<string | undefined> {
  const [version = '', group = ''] = (object.apiVersion ?? '').split('/').toReversed();
  const info = api.registry.all().find(({ info: each }) => each.kind === object.kind && each.group === group)?.info;
  if (info === undefined) return `no kind of ${object.apiVersion} here`;
  const type: ResourceType = { group, version, plural: info.plural, kind: info.kind, isNamespaced: info.isNamespaced };
  const placed = { ...object, metadata: { ...object.metadata, ...(info.isNamespaced ? { namespace } : {}) } };
  try {
    await client.create(type, placed);
    return undefined;
  } catch (error) {
    // Objects of the whole cluster are in several samples.
    if (error instanceof ApiError && error.reason === 'AlreadyExists') return undefined;
    return error instanceof Error ? error.message : String(error);
  }
}
