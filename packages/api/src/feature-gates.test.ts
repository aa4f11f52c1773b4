import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  defaultFeatureGates,
  FEATURE_GATES,
  FeatureGate,
  parseFeatureGates,
  parseGateSettings,
  resolveFeatureGates,
} from './feature-gates.ts';

function gates(text: string) {
  const result = parseFeatureGates(text);
  if (!result.ok) throw new Error(result.error);
  return result.value;
}

describe('feature gates', () => {
  it('are as documented when nothing is set', () => {
    const on = Object.values(FeatureGate).filter((name) => defaultFeatureGates()[name]);
    expect(on).toEqual([
      'RayClusterStatusConditions',
      'RayJobDeletionPolicy',
      'RayMultiHostIndexing',
      'RayServiceIncrementalUpgrade',
    ]);
    expect(gates('').gates).toEqual(defaultFeatureGates());
  });

  it('are set by name, with blanks and empty items forgiven and every spelling of Go', () => {
    const { gates: set } = gates(' RayCronJob = T ,,RayJobDeletionPolicy=0,');
    expect(set.RayCronJob).toBe(true);
    expect(set.RayJobDeletionPolicy).toBe(false);
    expect(set.RayMultiHostIndexing).toBe(true);
  });

  it('take the last of two settings', () => {
    expect(gates('RayCronJob=true,RayCronJob=false').gates.RayCronJob).toBe(false);
  });

  it('are set in groups, but a setting of their own wins in any order', () => {
    for (const text of ['AllAlpha=true,RayCronJob=false', 'RayCronJob=false,AllAlpha=true']) {
      const { gates: set } = gates(text);
      expect(set.RayCronJob).toBe(false);
      expect(set.KubernetesWAS).toBe(true);
      expect(set.RayJobDeletionPolicy).toBe(true);
    }
    const { gates: set } = gates('AllBeta=false');
    expect(set.RayMultiHostIndexing).toBe(false);
    expect(set.RayCronJob).toBe(false);
  });

  it.each([
    ['RayCronJob', 'missing bool value for RayCronJob'],
    ['RayCronJob=yes', 'invalid value of RayCronJob=yes, err: strconv.ParseBool: parsing "yes": invalid syntax'],
    ['A=b=c', 'invalid value of A=b=c, err: strconv.ParseBool: parsing "b=c": invalid syntax'],
  ])('refuse %s', (text, error) => {
    expect(parseFeatureGates(text)).toEqual({ ok: false, error });
  });

  it.each(['Nonsense', 'raycronjob', '__proto__', 'constructor', ''])(
    'refuse the unknown name %j and list the known',
    (name) => {
      const result = parseFeatureGates(`${name}=true`);
      expect(result.ok ? '' : result.error).toMatch(
        new RegExp(
          `^unrecognized feature gate: ${name} \\(there are AllAlpha, AllBeta, RayClusterStatusConditions, .*KubernetesWAS\\)$`,
        ),
      );
    },
  );

  it('accept a gate of an older release and say that it does nothing', () => {
    expect(gates('AsyncJobInfoQuery=true')).toEqual({
      gates: defaultFeatureGates(),
      notes: [
        'Feature gate AsyncJobInfoQuery has no effect any more: Ray dashboards are always asked in the background.',
      ],
    });
  });

  it('cannot be changed once read', () => {
    const { gates: set, notes } = gates('RayCronJob=true');
    expect(Object.isFrozen(set)).toBe(true);
    expect(Object.isFrozen(notes)).toBe(true);
    expect(Object.isFrozen(defaultFeatureGates())).toBe(true);
  });

  it('come out as set, for any choice of names', () => {
    const choice = fc.dictionary(fc.constantFrom(...Object.values(FeatureGate)), fc.boolean());
    fc.assert(
      fc.property(choice, (settings) => {
        const text = Object.entries(settings)
          .map(([name, on]) => `${name}=${on}`)
          .join(',');
        expect(parseGateSettings(text)).toEqual({ ok: true, value: { ...settings } });
        const result = resolveFeatureGates(settings);
        for (const name of Object.values(FeatureGate)) {
          expect(result.ok && result.value.gates[name]).toBe(settings[name] ?? FEATURE_GATES[name].default);
        }
      }),
    );
  });
});
