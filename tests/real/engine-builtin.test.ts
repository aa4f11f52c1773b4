import { beforeAll, describe, expect, it } from 'vitest';
import { type BuiltinKind, builtinKinds, createBuiltinStrategy } from '../../packages/engine/src/builtin/index.ts';
import type { JsonObject } from '../../packages/engine/src/json.ts';
import { builtinSamples } from '../support/builtin-samples.ts';
import { createBy, realOutcome } from '../support/engine-answer.ts';
import { createTestNamespace } from '../support/namespace.ts';
import { sharedControlPlane } from '../support/shared-control-plane.ts';

const plane = sharedControlPlane();
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

describe('the engine fills in what the real server does for', () => {
  const cases = Object.entries(builtinSamples).flatMap(([name, samples]) => samples.map((sample, index) => [name, index, sample] as const));

  it.each(cases)('%s, sample %i', async (name, _, sample) => {
    const kind = kindOf(name);
    const object = objectOf(kind, sample);
    const real = realOutcome(await plane.request('POST', `${pathOf(kind)}?dryRun=All`, object));
    expect(createBy(createBuiltinStrategy(kind), kind, object)).toEqual(real);
  });
});
