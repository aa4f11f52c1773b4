import { describe, expect, it } from 'vitest';
import { crds, sharedCrds } from './crds.ts';
import type { Schema } from './schema/dsl.ts';
import * as kubernetes from './schema/pod-template.gen.ts';
import { rayCluster } from './schema/raycluster.ts';
import { rayCronJob } from './schema/raycronjob.ts';
import { rayJob } from './schema/rayjob.ts';
import { rayService } from './schema/rayservice.ts';

/** Fields that Kubernetes defines carry no description of ours; the walk stops where they begin. */
const kubernetesFields = new Set(Object.values(kubernetes).map((schema) => schema.properties));

function* fieldsOf(schema: Schema, path: string): Generator<readonly [path: string, field: Schema]> {
  if (kubernetesFields.has(schema.properties)) return;
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    yield [`${path}.${name}`, field];
    yield* fieldsOf(field, `${path}.${name}`);
  }
  for (const inner of [schema.items, schema.additionalProperties]) {
    if (typeof inner === 'object' && 'type' in inner) yield* fieldsOf(inner, `${path}[]`);
  }
}

function* objectsIn(value: unknown): Generator<object> {
  if (typeof value !== 'object' || value === null) return;
  yield value;
  for (const child of Object.values(value)) yield* objectsIn(child);
}

describe('crds()', () => {
  it('gives each kind under its full name, group and list kind', () => {
    const names = crds().map((crd) => [crd.metadata?.name, crd.spec.group, crd.spec.names.listKind]);
    expect(names).toEqual([
      ['rayclusters.ray.io', 'ray.io', 'RayClusterList'],
      ['rayjobs.ray.io', 'ray.io', 'RayJobList'],
      ['rayservices.ray.io', 'ray.io', 'RayServiceList'],
      ['raycronjobs.ray.io', 'ray.io', 'RayCronJobList'],
    ]);
  });

  it('shares no object between two places, so that YAML needs no anchors', () => {
    const seen = new Set<object>();
    for (const object of objectsIn(crds())) {
      expect(seen.has(object)).toBe(false);
      seen.add(object);
    }
    expect(seen.size).toBeGreaterThan(10_000);
  });

  it('is JSON: nothing gets lost on the way to the API server', () => {
    expect(JSON.parse(JSON.stringify(crds()))).toStrictEqual(crds());
  });

  it('has a form with shared parts that says the same', () => {
    expect(JSON.stringify(sharedCrds())).toBe(JSON.stringify(crds()));
    expect(new Set(objectsIn(sharedCrds())).size).toBeLessThan(2_000);
  });

  it('keeps every CRD far below the size that etcd accepts', () => {
    for (const crd of crds()) expect(JSON.stringify(crd).length).toBeLessThan(1_000_000);
  });
});

describe('the fields of Ray', () => {
  const kinds = { rayCluster, rayJob, rayService, rayCronJob };

  for (const [kind, schema] of Object.entries(kinds)) {
    it(`each say what they are for (${kind})`, () => {
      const fields = [...fieldsOf(schema, kind)].filter(([path]) => path !== `${kind}.metadata`);
      const silent = fields.filter(([, field]) => !/^[A-Z`'].*\.$/.test(field.description ?? '')).map(([path]) => path);
      expect(silent).toEqual([]);
      expect(fields.length).toBeGreaterThan(5);
    });
  }
});
