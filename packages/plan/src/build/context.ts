import type { Container, EnvVar, FeatureGates, OperatorEnv, StringMap } from '@manta/api';
import type { BatchSchedulerName } from '../scheduling/scheduler.ts';

/** Settings of the installation that apply to every pod, besides those of the custom resource. */
export interface BuildContext {
  readonly env: OperatorEnv;
  readonly gates: FeatureGates;
  /** The operator's version: written on head pods and reported to Ray's usage statistics. */
  readonly operatorVersion: string;
  readonly podDefaults: PodDefaults;
  /** The secure profile: new clusters get tokens, NetworkPolicies and mutual TLS unless their spec turns them off. */
  readonly isSecure?: boolean;
  /** The operator reaches heads through the API server's proxy, whose addresses no pod selector matches. */
  readonly asksThroughApiServer?: boolean;
  /** The namespace of the operator's own pods; absent if unknown. */
  readonly operatorNamespace?: string | undefined;
  /** Absent: no batch scheduler. Pods use the scheduler in their templates. */
  readonly batchScheduler?: BatchSchedulerName | undefined;
}

/** The parts of the operator's Configuration that change pods. */
export interface PodDefaults {
  readonly headSidecarContainers?: readonly Container[];
  readonly workerSidecarContainers?: readonly Container[];
  /** Added to the Ray container unless the user set a variable of that name. */
  readonly defaultContainerEnvs?: readonly EnvVar[];
  /** Added unless the user or the operator set the key. */
  readonly defaultPodAnnotations?: StringMap;
  readonly defaultPodLabels?: StringMap;
}
