import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  defaultFeatureGates,
  type FieldError,
  type RayCluster,
  type RayCronJob,
  type RayJob,
  type RayService,
  validateRayClusterMetadata,
  validateRayClusterSpec,
  validateRayCronJob,
  validateRayJobMetadata,
  validateRayJobSpec,
  validateRayServiceMetadata,
  validateRayServiceSpec,
} from '@manta/api';
import { expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { sharedFolder } from '../support/shared-folder.ts';

/** Samples show features behind gates, too. */
const gates = {
  ...defaultFeatureGates(),
  RayClusterNetworkPolicy: true,
  GCSFaultToleranceEmbeddedStorage: true,
  RayClusterMTLS: true,
  RayClusterHistoryServer: true,
};
const parseYaml = (text: string): unknown => parse(text, { mapAsMap: true });

type AnyRayObject = RayCluster | RayJob | RayService | RayCronJob;

const folder = join(sharedFolder(), 'reference/samples');
const samples = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.yaml'));
const objects = samples.flatMap((file) =>
  parseAllDocuments(readFileSync(join(folder, file), 'utf8'))
    .map((document) => document.toJS() as AnyRayObject | null)
    .filter((object) => object?.apiVersion?.startsWith('ray.io/') ?? false)
    .map((object): [string, AnyRayObject | null] => [
      `${file}: ${object?.kind} ${object?.metadata?.name ?? object?.metadata?.generateName}`,
      object && named(object),
    ]),
);

it('there are samples of Ray objects', () => {
  expect(objects.length).toBeGreaterThan(60);
});

it.each(objects)('%s keeps all rules', (_title, object) => {
  expect(firstError(object)).toBeUndefined();
});

function firstError(object: AnyRayObject | null): FieldError | undefined {
  const annotations = object?.metadata?.annotations;
  switch (object?.kind) {
    case 'RayCluster': {
      const { metadata, spec } = object as RayCluster;
      return validateRayClusterMetadata(metadata) ?? validateRayClusterSpec(withBounds(spec), annotations, gates);
    }
    case 'RayJob': {
      const { metadata, spec } = object as RayJob;
      return validateRayJobMetadata(metadata) ?? validateRayJobSpec(withBounds(spec), annotations, gates, parseYaml);
    }
    case 'RayService': {
      const { metadata, spec } = object as RayService;
      return validateRayServiceMetadata(metadata) ?? validateRayServiceSpec(withBounds(spec), annotations, gates);
    }
    default:
      return validateRayCronJob(withBounds(object as RayCronJob), gates, parseYaml);
  }
}

/** The API server completes a generated name before anybody looks at it. */
function named<Kind extends AnyRayObject>(object: Kind): Kind {
  const { metadata } = object;
  return { ...object, metadata: { ...metadata, name: metadata?.name ?? `${metadata?.generateName}x7k2p` } };
}

/** The bounds that the API server gives to groups without any. */
function withBounds<Value>(value: Value): Value {
  const text = JSON.stringify(value ?? null, (_key, item: unknown) =>
    typeof item === 'object' && item !== null && 'groupName' in item
      ? { minReplicas: 0, maxReplicas: 2 ** 31 - 1, ...item }
      : item,
  );
  return JSON.parse(text) as Value;
}
