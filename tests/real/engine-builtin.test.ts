import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type BuiltinKind,
  builtinKinds,
  builtinSchema,
  createBuiltinStrategy,
  resolveBuiltin,
} from '../../packages/apiserver/src/builtin/index.ts';
import { isObject, type Json, type JsonObject } from '../../packages/apiserver/src/object/json.ts';
import { likelyValues } from '../support/builtin-likely.ts';
import { builtinSamples } from '../support/builtin-samples.ts';
import { createBy, type Outcome, realOutcome } from '../support/engine-answer.ts';
import { createTestNamespace } from '../support/namespace.ts';
import { arbitraryOf } from '../support/schema-arbitrary.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';

const plane = sharedControlPlane();
const runs = Number(process.env['ENGINE_FUZZ_RUNS'] ?? 40);
const seed = Number(process.env['ENGINE_FUZZ_SEED'] ?? 1);
let namespace = '';

beforeAll(async () => {
  namespace = (await createTestNamespace(plane)).name;
});

function kindOf(name: string): BuiltinKind {
  const kind = builtinKinds.find((each) => (each.group === '' ? each.kind : `${each.kind}.${each.group}`) === name);
  if (kind === undefined) throw new Error(`${name} is no built-in kind`);
  return kind;
}

function pathOf({ group, kind, isNamespaced }: BuiltinKind): string {
  const plural = kind === 'Endpoints' ? 'endpoints' : `${kind.toLowerCase().replace(/s$/, 'se').replace(/y$/, 'ie')}s`;
  return `${group === '' ? '/api/v1' : `/apis/${group}/v1`}${isNamespaced ? `/namespaces/${namespace}` : ''}/${plural}`;
}

function objectOf(kind: BuiltinKind, sample: JsonObject): JsonObject {
  const own = { apiVersion: kind.group === '' ? 'v1' : `${kind.group}/v1`, kind: kind.kind };
  const metadata = { name: 'some', ...(kind.isNamespaced ? { namespace } : {}), ...(sample['metadata'] as object) };
  return JSON.parse(JSON.stringify({ ...own, ...sample, metadata }).replaceAll('NAMESPACE', namespace));
}

/** What the engine and what the real server answer to the creation of an object. */
async function answers(kind: BuiltinKind, object: JsonObject): Promise<readonly [ours: Outcome, real: Outcome]> {
  const real = realOutcome(await plane.request('POST', `${pathOf(kind)}?dryRun=All`, object));
  return [createBy(createBuiltinStrategy(kind), kind, object), real];
}

/** Puts `change` over `base`: objects are merged, lists item by item. */
function over(base: Json | undefined, change: Json): Json {
  if (Array.isArray(base) && Array.isArray(change)) {
    return change.length === 0
      ? base
      : [...change.map((item: Json, index) => over(base[index], item)), ...base.slice(change.length)];
  }
  if (!isObject(base) || !isObject(change)) return change;
  return {
    ...base,
    ...Object.fromEntries(Object.entries(change).map(([key, value]) => [key, over(base[key], value)])),
  };
}

describe('the engine fills in what the real server does for', () => {
  const cases = Object.entries(builtinSamples).flatMap(([name, samples]) =>
    samples.map((sample, index) => [name, index, sample] as const),
  );

  it.each(cases)('%s, sample %i', async (name, _, sample) => {
    const kind = kindOf(name);
    const [ours, real] = await answers(kind, objectOf(kind, sample));
    expect(ours).toEqual(real);
  });
});

describe('the engine answers the creation of', () => {
  it.each(Object.keys(builtinSamples))('random %s objects as the real server does', async (name) => {
    const kind = kindOf(name);
    const { properties = {}, ...schema } = builtinSchema(kind.definition) ?? {};
    const own = Object.fromEntries(
      Object.entries(properties).filter(([key]) => !['apiVersion', 'kind', 'metadata', 'status'].includes(key)),
    );
    const wildness = { resolve: resolveBuiltin, damageOneIn: 400, likely: likelyValues };
    const changes = arbitraryOf({ ...schema, properties: own }, wildness).map((change) =>
      JSON.parse(JSON.stringify(change ?? {})),
    );
    const samples = fc.constantFrom(...(builtinSamples[name] ?? [{}]));
    await fc.assert(
      fc.asyncProperty(samples, changes, async (sample, change) => {
        const value = over(sample, change);
        const [ours, real] = await answers(kind, objectOf(kind, isObject(value) ? value : sample));
        expect(ours).toEqual(real);
      }),
      { seed, numRuns: runs },
    );
  });
});
