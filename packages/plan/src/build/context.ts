import type { Container, EnvVar, FeatureGates, OperatorEnv, StringMap } from '@manta/api';
import type { BatchSchedulerName } from '../scheduling/scheduler.ts';

/** What an installation says about every pod, beside the custom resource itself. */
export interface BuildContext {
  readonly env: OperatorEnv;
  readonly gates: FeatureGates;
  /** Our own version: stamped on head pods and told to Ray's usage statistics. */
  readonly operatorVersion: string;
  readonly podDefaults: PodDefaults;
  /** New clusters get tokens, network policies and mutual TLS unless they say otherwise. */
  readonly isSecure?: boolean;
  /** Heads are asked through the API server, whose addresses no selector knows. */
  readonly asksThroughApiServer?: boolean;
  /** The namespace that the operator's pods run in; absent where that is not known. */
  readonly operatorNamespace?: string | undefined;
  /** Absent: pods are left to the scheduler that their templates name. */
  readonly batchScheduler?: BatchSchedulerName | undefined;
}

/** The parts of the operator's Configuration that change pods. */
export interface PodDefaults {
  readonly headSidecarContainers?: readonly Container[];
  readonly workerSidecarContainers?: readonly Container[];
  /** Added to the Ray container where the user has no variable of that name. */
  readonly defaultContainerEnvs?: readonly EnvVar[];
  /** Added where neither the user nor the operator has set the key. */
  readonly defaultPodAnnotations?: StringMap;
  readonly defaultPodLabels?: StringMap;
}
