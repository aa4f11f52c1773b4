/** The operator's own configuration file: kind Configuration of config.ray.io/v1alpha1. */
import type { Container, EnvVar } from './core.gen.ts';
import type { GateSettings } from './feature-gates.ts';
import type { StringMap } from './raycluster.ts';

export const CONFIGURATION_API_VERSION = 'config.ray.io/v1alpha1';
export const CONFIGURATION_KIND = 'Configuration';

/** How log lines are written. */
export const LogEncoder = { Json: 'json', Console: 'console' } as const;
export type LogEncoder = (typeof LogEncoder)[keyof typeof LogEncoder];

/** The settings that a file gives; an absent one was not given. */
export interface Configuration {
  readonly apiVersion: typeof CONFIGURATION_API_VERSION;
  readonly kind: typeof CONFIGURATION_KIND;
  readonly metricsAddr?: string;
  readonly probeAddr?: string;
  readonly enableLeaderElection?: boolean;
  readonly leaderElectionNamespace?: string;
  /** Reconciles of one kind at a time; 0 is as good as not given. */
  readonly reconcileConcurrency?: number;
  /** Namespaces with commas between them; empty means all. */
  readonly watchNamespace?: string;
  readonly logFile?: string;
  readonly logFileEncoder?: LogEncoder | '';
  readonly logStdoutEncoder?: LogEncoder | '';
  readonly batchScheduler?: string;
  readonly enableBatchScheduler?: boolean;
  /** `secure` gives clusters that do not say otherwise tokens, network policies and mutual TLS. */
  readonly securityProfile?: string;
  readonly headSidecarContainers?: readonly Container[];
  readonly workerSidecarContainers?: readonly Container[];
  /** Added to Ray containers that don't have a variable of the name. */
  readonly defaultContainerEnvs?: readonly EnvVar[];
  /** Added to head and worker pods that don't have the key. */
  readonly defaultPodAnnotations?: StringMap;
  /** Added to head and worker pods that don't have the key. */
  readonly defaultPodLabels?: StringMap;
  readonly useKubernetesProxy?: boolean;
  readonly deleteRayJobAfterJobFinishes?: boolean;
  readonly enableMetrics?: boolean;
  readonly qps?: number;
  readonly burst?: number;
  /** Gates by name; the flag wins over the file. */
  readonly featureGates?: GateSettings;
}

/** What the flags and the file mean where they say nothing. */
export const CONFIGURATION_DEFAULTS = {
  metricsAddr: ':8080',
  probeAddr: ':8082',
  enableLeaderElection: true,
  leaderElectionNamespace: '',
  reconcileConcurrency: 1,
  watchNamespace: '',
  logFile: '',
  logFileEncoder: LogEncoder.Json,
  logStdoutEncoder: LogEncoder.Json,
  batchScheduler: '',
  enableBatchScheduler: false,
  useKubernetesProxy: false,
  deleteRayJobAfterJobFinishes: false,
  enableMetrics: false,
  qps: 100,
  burst: 200,
} as const;

type Defaulted = keyof typeof CONFIGURATION_DEFAULTS;

/** A configuration in which everything with a default has a value. */
export type CompleteConfiguration = Omit<Configuration, Defaulted | 'logFileEncoder' | 'logStdoutEncoder'> & {
  readonly [Field in Exclude<Defaulted, 'logFileEncoder' | 'logStdoutEncoder'>]-?: NonNullable<Configuration[Field]>;
} & { readonly logFileEncoder: LogEncoder; readonly logStdoutEncoder: LogEncoder };

/** Fills in the defaults. Empty addresses and encoders and a concurrency of 0 count as not given. */
export function withConfigurationDefaults(configuration: Configuration): CompleteConfiguration {
  const defaults = CONFIGURATION_DEFAULTS;
  return {
    ...defaults,
    ...configuration,
    metricsAddr: configuration.metricsAddr || defaults.metricsAddr,
    probeAddr: configuration.probeAddr || defaults.probeAddr,
    logFileEncoder: configuration.logFileEncoder || defaults.logFileEncoder,
    logStdoutEncoder: configuration.logStdoutEncoder || defaults.logStdoutEncoder,
    reconcileConcurrency: configuration.reconcileConcurrency || defaults.reconcileConcurrency,
  };
}
