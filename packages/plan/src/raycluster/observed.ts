import type { ConditionVerdict, PersistentVolumeClaim, RayCluster, Role, Service } from '@manta/api';
import type { BuildContext } from '../build/context.ts';
import type { LiveIngress } from '../build/ingress.ts';
import type { Route } from '../build/route.ts';
import type { ChildKind } from '../plan.ts';
import type { GangRecord } from '../scheduling/scheduler.ts';
import type { CreateBackoffs } from './create-backoff.ts';

/** Everything a decision about a RayCluster needs, gathered at one moment. */
export interface ObservedRayCluster {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly cluster: RayCluster;
  /** Every pod with the cluster's label, whatever its owner. */
  readonly pods: readonly PodRecord[];
  readonly children: ObservedChildren;
  readonly context: BuildContext;
  /** What else is installed in the Kubernetes cluster. */
  readonly installed: {
    readonly certManager: boolean;
    readonly openShift: boolean;
    /** The operator issues certificates itself. */
    readonly ownIssuer?: boolean;
  };
  /** Whether the certificates of a cluster with mutual TLS exist; absent for others. */
  readonly pki?: PkiState | undefined;
  /** What the head pod asks for and what the nodes have, see `roomInWords`; absent if it was not needed or may not be read. */
  readonly headRoom?: string | undefined;
  /** 32 fresh random bytes, used only when a token has to be created. */
  readonly tokenBytes: Uint8Array;
  /** The deleted pods that last held a worker's place, by `<group>/<place>`, and the last head. */
  readonly lastHolders: ReadonlyMap<string, LastHolder>;
  /** Creations that are delayed because earlier pods failed, by group. */
  readonly backoffs: CreateBackoffs;
  /** Permissions to read pods or Services that the operator lacks; absent: none. */
  readonly missingPermissions?: readonly string[];
  /** Kinds of child objects that the operator may not read, each with the missing permission. */
  readonly unreadable: ReadonlyMap<ChildKind, string>;
  /** The objects that describe this cluster's pods to the batch scheduler; absent if there is none. */
  readonly gang?: readonly GangRecord[];
  /** Ray's list of nodes by the uid of the head pod that gave it, as far as heads were asked and have answered. */
  readonly rayNodes: ReadonlyMap<string, readonly RayNodeRecord[]>;
}

/** What decisions need of a node in Ray's own list. */
export interface RayNodeRecord {
  readonly ip: string;
  readonly isHead: boolean;
  readonly isAlive: boolean;
}

/** Whether the certificates of a cluster exist. */
export type PkiState =
  | { readonly isReady: false; readonly why: string }
  | {
      readonly isReady: true;
      /** Only if the operator issues the certificates itself. */
      readonly own?: { readonly head: LeafState; readonly worker: LeafState };
    };

/** Which of the certificates that a pod may have is the current one. */
export interface LeafState {
  /** The uid of its authority. */
  readonly authority: string;
  /** When it was last renewed because it ran out; undefined where it never was. */
  readonly renewedAt: string | undefined;
  /** Since when it has another authority than it had; undefined where it has the first. */
  readonly authoritySince: string | undefined;
  /** When the one before it ends, in milliseconds since the epoch; never, where there was none. */
  readonly formerEnd: number;
}

/** What the successor of a deleted pod needs to know of it. */
export type LastHolder = Pick<PodRecord, 'uid' | 'name'>;

/** What decisions need of a pod. */
export interface PodRecord {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly nodeType: string;
  readonly group: string;
  readonly cluster: string;
  readonly replicaIndex: number | undefined;
  readonly replicaName: string | undefined;
  readonly hostIndex: number | undefined;
  /** The uid of the controller that owns it. */
  readonly owner: string | undefined;
  /** The name of that controller where it is a RayCluster. */
  readonly ownerCluster?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly isTerminating: boolean;
  readonly phase: string;
  readonly restartPolicy: string;
  readonly podIP: string;
  /** The node that it was given; empty while it waits for one. */
  readonly node: string;
  /** Status of the Ready condition; undefined where there is none. */
  readonly ready: string | undefined;
  /** How the Ray container ended, in the words of an event; undefined while it runs. */
  readonly rayTerminated: string | undefined;
  /** Value of the serve label: `true` where Serve traffic may come. */
  readonly serveLabel?: string | undefined;
  /** The authority of the certificate that it was made with, and when that was last renewed; undefined where it has none of ours. */
  readonly tlsAuthority?: string | undefined;
  readonly tlsRenewedAt?: string | undefined;
  /** Its account or its Secret has the name that a cluster's objects get where another has the usual one; absent where not. */
  readonly knowsSpare?: true | undefined;
  /** A drain, a preemption or the shutdown of its node ends the pod, not a failure of its own. */
  readonly isDisrupted?: true | undefined;
  /** What keeps it from running, in a few words; undefined when nothing is known to. */
  readonly trouble?: string | undefined;
  /** Head pods only. */
  readonly head: HeadRecord | undefined;
}

/** What is kept of head pods beyond what all pods have. */
export interface HeadRecord {
  readonly readiness: ConditionVerdict;
  readonly recreateHash: string;
  readonly operatorVersion: string;
  /** How often the kubelet restarted the Ray container; Ray loses its state each time. */
  readonly restarts?: number;
  /** The container that submits a job from within the head pod. */
  readonly submitter?: SubmitterRecord | undefined;
}

/** How far a submitter in a head pod got. */
export interface SubmitterRecord {
  /** Undefined while it runs. */
  readonly exitCode: number | undefined;
  readonly reason: string;
  /** Milliseconds since the epoch; undefined while it runs. */
  readonly finishedAt: number | undefined;
  readonly restartCount: number;
  readonly hasEndedBefore: boolean;
}

/** The other objects that belong to the cluster, as far as they exist. */
export interface ObservedChildren {
  readonly services: readonly ServiceRecord[];
  readonly serviceAccounts: readonly NamedRecord[];
  readonly roles: readonly RoleRecord[];
  readonly roleBindings: readonly RoleBindingRecord[];
  readonly secrets: readonly NamedRecord[];
  readonly ingresses: readonly LiveIngress[];
  readonly routes: readonly RouteRecord[];
  readonly claims: readonly PersistentVolumeClaim[];
  readonly cleanupJobs: readonly JobRecord[];
  /** PodDisruptionBudgets; empty where the installation does not use them. */
  readonly budgets: readonly NamedRecord[];
}

/** An object of which only its existence and whose it is matter. */
export interface NamedRecord {
  readonly name: string;
  readonly uid: string;
  readonly owner: string | undefined;
  /** The name of its cluster, from its label. */
  readonly cluster?: string | undefined;
}

/** A Role with what it allows. */
export interface RoleRecord extends NamedRecord {
  /** Absent where it is not known. */
  readonly role?: Role | undefined;
}

/** A RoleBinding with the accounts that it gives rights to. */
export interface RoleBindingRecord extends NamedRecord {
  /** Absent where they are not known. */
  readonly accounts?: readonly string[] | undefined;
}

/** A Route with where it leads to. */
export interface RouteRecord extends NamedRecord {
  /** Absent where it is not known. */
  readonly route?: Route | undefined;
}

export interface ServiceRecord extends NamedRecord {
  readonly labels: Readonly<Record<string, string>>;
  readonly clusterIP: string;
  readonly ports: readonly {
    readonly name: string;
    /** Where the Service itself listens. */
    readonly port?: number | undefined;
    readonly nodePort: number | undefined;
    readonly targetPort: number | string | undefined;
  }[];
  /** The cluster whose pods it leads to, by its selector. */
  readonly selectsCluster?: string | undefined;
  /** The keys of its selector, where the Service itself is not kept. */
  readonly selectorKeys?: readonly string[] | undefined;
  /** It leads to a DNS name anywhere, whatever its selector says; absent where not. */
  readonly isExternalName?: true | undefined;
  /** The Service itself, where it was made for a RayService or is a cluster's head Service. */
  readonly service?: Service | undefined;
}

export interface JobRecord extends NamedRecord {
  readonly outcome: 'Complete' | 'Failed' | undefined;
  readonly isTerminating?: boolean | undefined;
  /** When it ended for good, in milliseconds since the epoch. */
  readonly finishedAt?: number | undefined;
  /** Why it failed for good. */
  readonly failure?: { readonly reason: string; readonly message: string } | undefined;
}
