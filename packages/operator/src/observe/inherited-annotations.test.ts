import { describe, expect, it } from 'vitest';
import { liveIngress } from './inherited-annotations.ts';

const wrote = (manager: string, ...keys: readonly string[]) => ({
  manager,
  operation: 'Update',
  fieldsV1: {
    'f:metadata': {
      'f:annotations': Object.fromEntries(['.', ...keys.map((key) => `f:${key}`)].map((key) => [key, {}])),
    },
    'f:spec': { 'f:rules': {} },
  },
});
const ingress = (managedFields: unknown) => {
  const metadata = { name: 'i', managedFields };
  return { metadata };
};

describe('the annotations of an Ingress that are ours to take away', () => {
  it.each<[string, unknown, readonly string[] | undefined]>([
    ['are those that we wrote', [wrote('kuberay-operator', 'a', 'nginx.x/y')], ['a', 'nginx.x/y']],
    ['are not those of others', [wrote('kubectl', 'a'), wrote('kuberay-operator', 'b')], ['b']],
    ['are not those that others wrote too', [wrote('kubectl', 'a'), wrote('kuberay-operator', 'a')], undefined],
    ['are none where the server keeps no account', undefined, undefined],
    ['are none where its account cannot be read', ['?', { manager: 'kuberay-operator', fieldsV1: 1 }], undefined],
  ])('%s', (_, managedFields, expected) => {
    expect(liveIngress(ingress(managedFields)).inherited).toEqual(expected);
  });

  it('come without the account itself, which must not be written back', () => {
    expect(liveIngress(ingress([wrote('x', 'a')]))).toEqual({ metadata: { name: 'i' } });
  });
});
