import { goQuote } from './go-quote.ts';
import { type Parsed, parsed, unparsed } from './parsed.ts';

/** Names of the feature gates. */
export const FeatureGate = {
  RayClusterStatusConditions: 'RayClusterStatusConditions',
  RayJobDeletionPolicy: 'RayJobDeletionPolicy',
  RayMultiHostIndexing: 'RayMultiHostIndexing',
  RayServiceIncrementalUpgrade: 'RayServiceIncrementalUpgrade',
  RayCronJob: 'RayCronJob',
  RayCronJobPolicies: 'RayCronJobPolicies',
  SidecarSubmitterRestart: 'SidecarSubmitterRestart',
  RayClusterNetworkPolicy: 'RayClusterNetworkPolicy',
  GCSFaultToleranceEmbeddedStorage: 'GCSFaultToleranceEmbeddedStorage',
  RayClusterMTLS: 'RayClusterMTLS',
  RayClusterHistoryServer: 'RayClusterHistoryServer',
  KubernetesWAS: 'KubernetesWAS',
} as const;
export type FeatureGate = (typeof FeatureGate)[keyof typeof FeatureGate];

/** Stage and default of a gate. */
export interface GateSpec {
  readonly stage: 'Alpha' | 'Beta';
  readonly default: boolean;
}

/** Every feature gate with its stage and default. */
export const FEATURE_GATES: Readonly<Record<FeatureGate, GateSpec>> = {
  RayClusterStatusConditions: { stage: 'Beta', default: true },
  RayJobDeletionPolicy: { stage: 'Beta', default: true },
  RayMultiHostIndexing: { stage: 'Beta', default: true },
  RayServiceIncrementalUpgrade: { stage: 'Beta', default: true },
  RayCronJob: { stage: 'Alpha', default: false },
  /** Ours: concurrency policy, starting deadline and history limits of a RayCronJob. */
  RayCronJobPolicies: { stage: 'Alpha', default: false },
  /** Needs an API server of version 1.35 or newer. */
  SidecarSubmitterRestart: { stage: 'Alpha', default: false },
  RayClusterNetworkPolicy: { stage: 'Alpha', default: false },
  GCSFaultToleranceEmbeddedStorage: { stage: 'Alpha', default: false },
  /** Needs cert-manager. */
  RayClusterMTLS: { stage: 'Alpha', default: false },
  RayClusterHistoryServer: { stage: 'Alpha', default: false },
  /** Excludes every other batch scheduler. */
  KubernetesWAS: { stage: 'Alpha', default: false },
};

/** Which features are on. */
export type FeatureGates = Readonly<Record<FeatureGate, boolean>>;

/** Gates by name as a user set them, before they are known to exist. */
export type GateSettings = Readonly<Record<string, boolean>>;

/** What settings come to: the gates, and sentences for the log about settings that do nothing. */
export interface ResolvedGates {
  readonly gates: FeatureGates;
  readonly notes: readonly string[];
}

/** Gates that older releases had. Setting one is no error, so that an old command line still starts the operator. */
const RETIRED_GATES: ReadonlyMap<string, string> = new Map([
  ['AsyncJobInfoQuery', 'Ray dashboards are always asked in the background'],
]);

/** Groups of gates: one setting for all members that aren't set themselves. */
const GROUPS: ReadonlyMap<string, GateSpec['stage']> = new Map([
  ['AllAlpha', 'Alpha'],
  ['AllBeta', 'Beta'],
]);

const NAMES = Object.values(FeatureGate);

/** Is this the name of a gate that switches something? */
export function isFeatureGate(name: string): name is FeatureGate {
  return Object.hasOwn(FeatureGate, name);
}

/** The gates as they are when nothing is set. */
export function defaultFeatureGates(): FeatureGates {
  return chooseGates((name) => FEATURE_GATES[name].default);
}

/** Reads `A=true,B=false` as Kubernetes does: blanks around names and values are fine, the last of two settings wins. */
export function parseGateSettings(text: string): Parsed<GateSettings> {
  const settings: [string, boolean][] = [];
  for (const item of text.split(',')) {
    if (item === '') continue;
    const equals = item.indexOf('=');
    const name = (equals < 0 ? item : item.slice(0, equals)).trim();
    if (equals < 0) return unparsed(`missing bool value for ${name}`);
    const value = item.slice(equals + 1).trim();
    const on = parseBool(value);
    if (on === undefined) {
      return unparsed(
        `invalid value of ${name}=${value}, err: strconv.ParseBool: parsing ${goQuote(value)}: invalid syntax`,
      );
    }
    settings.push([name, on]);
  }
  return parsed(Object.fromEntries(settings));
}

/** Turns settings into gates; an unknown name is an error. A gate's own setting wins over `AllAlpha` and `AllBeta`. */
export function resolveFeatureGates(settings: GateSettings): Parsed<ResolvedGates> {
  const notes: string[] = [];
  for (const name of Object.keys(settings)) {
    const retired = RETIRED_GATES.get(name);
    if (retired !== undefined) notes.push(`Feature gate ${name} has no effect any more: ${retired}.`);
    else if (!GROUPS.has(name) && !isFeatureGate(name)) {
      const known = [...GROUPS.keys(), ...NAMES].join(', ');
      return unparsed(`unrecognized feature gate: ${name} (there are ${known})`);
    }
  }
  const gates = chooseGates((name) => settings[name] ?? groupSetting(settings, name) ?? FEATURE_GATES[name].default);
  return parsed(Object.freeze({ gates, notes: Object.freeze(notes) }));
}

/** Reads and resolves the value of `--feature-gates`. */
export function parseFeatureGates(text: string): Parsed<ResolvedGates> {
  const settings = parseGateSettings(text);
  return settings.ok ? resolveFeatureGates(settings.value) : settings;
}

function groupSetting(settings: GateSettings, name: FeatureGate): boolean | undefined {
  for (const [group, stage] of GROUPS) {
    if (stage === FEATURE_GATES[name].stage) return settings[group];
  }
  return undefined;
}

function chooseGates(isOn: (name: FeatureGate) => boolean): FeatureGates {
  return Object.freeze({
    RayClusterStatusConditions: isOn('RayClusterStatusConditions'),
    RayJobDeletionPolicy: isOn('RayJobDeletionPolicy'),
    RayMultiHostIndexing: isOn('RayMultiHostIndexing'),
    RayServiceIncrementalUpgrade: isOn('RayServiceIncrementalUpgrade'),
    RayCronJob: isOn('RayCronJob'),
    RayCronJobPolicies: isOn('RayCronJobPolicies'),
    SidecarSubmitterRestart: isOn('SidecarSubmitterRestart'),
    RayClusterNetworkPolicy: isOn('RayClusterNetworkPolicy'),
    GCSFaultToleranceEmbeddedStorage: isOn('GCSFaultToleranceEmbeddedStorage'),
    RayClusterMTLS: isOn('RayClusterMTLS'),
    RayClusterHistoryServer: isOn('RayClusterHistoryServer'),
    KubernetesWAS: isOn('KubernetesWAS'),
  });
}

function parseBool(text: string): boolean | undefined {
  if (['1', 't', 'T', 'TRUE', 'true', 'True'].includes(text)) return true;
  if (['0', 'f', 'F', 'FALSE', 'false', 'False'].includes(text)) return false;
  return undefined;
}
