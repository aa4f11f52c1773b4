import { crds } from '@manta/api/crds';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { crdVersions, createCrdStrategy } from '../../packages/apiserver/src/crd/index.ts';
import type { JsonObject } from '../../packages/apiserver/src/object/json.ts';
import { createBy, realOutcome } from '../support/engine-answer.ts';
import { arbitraryOf } from '../support/schema-arbitrary.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';
import { createRayApi, installCrds, type RayApi } from './ray-api.ts';

const plane = sharedControlPlane();
let ray: RayApi;

beforeAll(async () => {
  await installCrds(plane);
  ray = await createRayApi(plane);
});

const wildness = { resolve: <T>(schema: T) => schema, damageOneIn: 25, likely: { name: ['a', 'b'] } };
const runs = Number(process.env['ENGINE_FUZZ_RUNS'] ?? 60);

describe('the engine answers the creation of', () => {
  const versions = crds().flatMap(crdVersions);

  it.each(versions.map((version) => [`${version.kind} ${version.name}`, version] as const))(
    'random %s objects as the real server does',
    async (_, version) => {
      const strategy = createCrdStrategy(version);
      const spec = version.schema?.properties?.['spec'] ?? {};
      const path = `/apis/ray.io/${version.name}/namespaces/${ray.namespace}/${version.kind.toLowerCase()}s?dryRun=All`;
      await fc.assert(
        fc.asyncProperty(arbitraryOf(spec, wildness), async (value) => {
          const object = {
            apiVersion: `ray.io/${version.name}`,
            kind: version.kind,
            metadata: { name: 'some', namespace: ray.namespace },
            spec: value,
          } as JsonObject;
          const real = realOutcome(await plane.request('POST', path, object));
          expect(createBy(strategy, version, object)).toEqual(real);
        }),
        { seed: 1, numRuns: runs },
      );
    },
  );
});
