import { defaultFeatureGates, type Environment, type FeatureGates, readOperatorEnv } from '@manta/api';
import type { BuildContext, PodDefaults } from '../build/context.ts';

/** An installation with defaults, except for the given settings. */
export function buildContext(
  settings: {
    readonly env?: Environment;
    readonly gates?: Partial<FeatureGates>;
    readonly podDefaults?: PodDefaults;
  } = {},
): BuildContext {
  return {
    env: readOperatorEnv(settings.env ?? {}),
    gates: { ...defaultFeatureGates(), ...settings.gates },
    operatorVersion: '0.0.0-test',
    podDefaults: settings.podDefaults ?? {},
  };
}
