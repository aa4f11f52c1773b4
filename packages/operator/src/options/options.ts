import {
  type Configuration,
  type FeatureGates,
  type GateSettings,
  LogEncoder,
  type Parsed,
  parseGateSettings,
  resolveFeatureGates,
} from '@manta/api';
import type { PodDefaults } from '@manta/plan';
import { type BatchScheduler, chooseBatchScheduler } from './batch-scheduler.ts';
import type { OPERATOR_FLAGS } from './flags.ts';
import type { FlagValues } from './go-flags.ts';

/** The operator's options, from flags or a Configuration file, with all defaults. */
export interface OperatorOptions {
  readonly metricsAddress: string;
  readonly probeAddress: string;
  readonly isLeaderElectionOn: boolean;
  /** Empty: the namespace of the pod. */
  readonly leaderElectionNamespace: string;
  /** Objects of one kind that are worked on at once. */
  readonly concurrency: number;
  /** Empty: all namespaces. */
  readonly watchNamespaces: readonly string[];
  readonly log: LogOptions;
  readonly batchScheduler: BatchScheduler | undefined;
  /** The secure profile: new clusters get tokens, NetworkPolicies and mutual TLS unless their spec turns them off. */
  readonly isSecure?: boolean;
  readonly podDefaults: PodDefaults;
  readonly useKubernetesProxy: boolean;
  readonly deleteRayJobAfterJobFinishes: boolean;
  readonly areRayMetricsOn: boolean;
  /** Absent: no client-side limit; only the API server's priority and fairness. */
  readonly rateLimit: { readonly qps: number; readonly burst: number } | undefined;
  readonly gates: FeatureGates;
  /** Empty: KUBECONFIG, the service account, or the home directory. */
  readonly kubeconfig: string;
  /** Things the user should know about what he asked for; logged at start. */
  readonly notes: readonly string[];
}

export interface LogOptions {
  readonly encoder: LogEncoder;
  /** Empty: no file. */
  readonly file: string;
  readonly fileEncoder: LogEncoder;
  readonly isDevelopment: boolean;
  /** As given; absent: the mode's default. */
  readonly level: string | undefined;
  readonly stacktraceLevel: string | undefined;
}

export type OperatorFlags = FlagValues<typeof OPERATOR_FLAGS>;

const DEFAULT_CONCURRENCY = 32;
/** KubeRay's defaults, for the missing one when only the other is given. */
const PEER_LIMITS = { qps: 100, burst: 200 } as const;

/**
 * The options from flags or, if given, the Configuration file. A file replaces the flags, except feature gates (the file may add some),
 * encoders (the file may set them), zap flags and kubeconfig, which exist only as flags.
 */
export function resolveOptions(flags: OperatorFlags, file: Configuration | undefined): Parsed<OperatorOptions> {
  const settings = file ?? settingsFromFlags(flags);
  const profile = settings.securityProfile ?? '';
  if (profile !== '' && profile !== SECURE)
    return { ok: false, error: `security-profile is "${profile}": it must be ${SECURE} or empty` };
  const gates = resolveGates(flags, file, profile === SECURE ? SECURE_GATES : {});
  if (!gates.ok) return gates;
  const scheduler = chooseBatchScheduler({
    name: settings.batchScheduler ?? '',
    isLegacyEnabled: settings.enableBatchScheduler ?? false,
    isWorkloadSchedulingGateOn: gates.value.gates.KubernetesWAS,
  });
  if (scheduler.kind === 'error') return { ok: false, error: scheduler.message };
  const concurrency = settings.reconcileConcurrency || DEFAULT_CONCURRENCY;
  if (concurrency < 1) return { ok: false, error: `reconcile-concurrency is ${concurrency}: it must be at least 1` };
  const log = logOptions(flags, file);
  if (!log.ok) return log;

  return {
    ok: true,
    value: {
      metricsAddress: settings.metricsAddr || ':8080',
      probeAddress: settings.probeAddr || ':8082',
      isLeaderElectionOn: settings.enableLeaderElection ?? true,
      leaderElectionNamespace: settings.leaderElectionNamespace ?? '',
      concurrency,
      watchNamespaces: namespacesOf(settings.watchNamespace ?? ''),
      log: log.value,
      batchScheduler: scheduler.scheduler,
      isSecure: profile === SECURE,
      podDefaults: podDefaultsOf(settings),
      useKubernetesProxy: settings.useKubernetesProxy ?? false,
      deleteRayJobAfterJobFinishes: settings.deleteRayJobAfterJobFinishes ?? false,
      areRayMetricsOn: settings.enableMetrics ?? false,
      rateLimit: rateLimitOf(settings),
      gates: gates.value.gates,
      kubeconfig: flags.kubeconfig ?? '',
      notes: [...gates.value.notes, ...deprecations(flags, settings)],
    },
  };
}

/** Feature gates of the profile, unless the user disables one by name. */
const SECURE = 'secure';
const SECURE_GATES: GateSettings = { RayClusterMTLS: true, RayClusterNetworkPolicy: true };

type Settings = Omit<Configuration, 'apiVersion' | 'kind'>;

function settingsFromFlags(flags: OperatorFlags): Settings {
  const given: { -readonly [Key in keyof Settings]: Settings[Key] | undefined } = {
    metricsAddr: flags['metrics-addr'],
    probeAddr: flags['health-probe-bind-address'],
    enableLeaderElection: flags['enable-leader-election'],
    leaderElectionNamespace: flags['leader-election-namespace'],
    reconcileConcurrency: flags['reconcile-concurrency'],
    watchNamespace: flags['watch-namespace'],
    batchScheduler: flags['batch-scheduler'],
    enableBatchScheduler: flags['enable-batch-scheduler'],
    securityProfile: flags['security-profile'],
    useKubernetesProxy: flags['use-kubernetes-proxy'],
    enableMetrics: flags['enable-metrics'],
    qps: flags.qps,
    burst: flags.burst,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function resolveGates(
  flags: OperatorFlags,
  file: Configuration | undefined,
  profile: GateSettings,
): ReturnType<typeof resolveFeatureGates> {
  const fromFlag = parseGateSettings(flags['feature-gates'] ?? '');
  const resolved = fromFlag.ok
    ? resolveFeatureGates({ ...profile, ...file?.featureGates, ...fromFlag.value })
    : fromFlag;
  return resolved.ok
    ? resolved
    : { ok: false, error: `Unable to set flag gates for known features: ${resolved.error}` };
}

function logOptions(flags: OperatorFlags, file: Configuration | undefined): Parsed<LogOptions> {
  const encoder = chooseEncoder({
    '--log-stdout-encoder': flags['log-stdout-encoder'],
    logStdoutEncoder: file?.logStdoutEncoder,
    '--zap-encoder': flags['zap-encoder'],
  });
  if (!encoder.ok) return encoder;
  const fileEncoder = chooseEncoder({
    '--log-file-encoder': flags['log-file-encoder'],
    logFileEncoder: file?.logFileEncoder,
  });
  if (!fileEncoder.ok) return fileEncoder;
  return {
    ok: true,
    value: {
      encoder: encoder.value,
      fileEncoder: fileEncoder.value,
      file: file === undefined ? (flags['log-file-path'] ?? '') : (file.logFile ?? ''),
      isDevelopment: flags['zap-devel'] ?? false,
      level: flags['zap-log-level'],
      stacktraceLevel: flags['zap-stacktrace-level'],
    },
  };
}

/** The first that is given, by the name of the setting. */
function chooseEncoder(settings: Readonly<Record<string, string | undefined>>): Parsed<LogEncoder> {
  const [name = '', value = LogEncoder.Json] = Object.entries(settings).find(([, given]) => given) ?? [];
  return isEncoder(value) ? { ok: true, value } : { ok: false, error: `${name}: "${value}" is not json or console` };
}

function isEncoder(value: string): value is LogEncoder {
  return value === LogEncoder.Json || value === LogEncoder.Console;
}

function namespacesOf(text: string): readonly string[] {
  return [...new Set(text.split(',').map((name) => name.trim()))].filter((name) => name !== '');
}

function podDefaultsOf(settings: Settings): PodDefaults {
  const {
    headSidecarContainers,
    workerSidecarContainers,
    defaultContainerEnvs,
    defaultPodAnnotations,
    defaultPodLabels,
  } = settings;
  return {
    ...(headSidecarContainers === undefined ? {} : { headSidecarContainers }),
    ...(workerSidecarContainers === undefined ? {} : { workerSidecarContainers }),
    ...(defaultContainerEnvs === undefined ? {} : { defaultContainerEnvs }),
    ...(defaultPodAnnotations === undefined ? {} : { defaultPodAnnotations }),
    ...(defaultPodLabels === undefined ? {} : { defaultPodLabels }),
  };
}

/** A limit applies only if configured; zero and negative values disable it, like negative values in client-go. */
function rateLimitOf({ qps, burst }: Settings): OperatorOptions['rateLimit'] {
  if ((qps === undefined && burst === undefined) || (qps ?? 1) <= 0) return undefined;
  return { qps: qps ?? PEER_LIMITS.qps, burst: burst ?? PEER_LIMITS.burst };
}

function deprecations(flags: OperatorFlags, settings: Settings): readonly string[] {
  return [
    ...(flags['forced-cluster-upgrade'] === true ? ['--forced-cluster-upgrade has no effect any more.'] : []),
    ...(settings.enableBatchScheduler === true
      ? ['enable-batch-scheduler is deprecated: use batch-scheduler=volcano.']
      : []),
  ];
}
