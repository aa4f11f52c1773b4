import {
  Annotation,
  type Ingress,
  isRecord,
  type KubeObject,
  Label,
  NodeType,
  type PersistentVolumeClaim,
  type Pod,
  type RayCluster,
  type RoleBinding,
  type Service,
  textAt,
} from '@manta/api';
import type { Action, CreateAction, PatchAction, PlanOutcome, WrittenKind } from '../plan.ts';
import type {
  JobRecord,
  LastHolder,
  NamedRecord,
  ObservedChildren,
  ObservedRayCluster,
  PodRecord,
  RoleBindingRecord,
  RoleRecord,
  ServiceRecord,
} from '../raycluster/observed.ts';
import { planRayCluster } from '../raycluster/plan.ts';

/** Applies actions to a few records: enough of Kubernetes to test whether plans converge. */
export class TinyWorld {
  readonly #frame: ObservedRayCluster;
  readonly #lastHolders = new Map<string, LastHolder>();
  #children: ObservedChildren;
  #uids = 0;
  cluster: RayCluster | undefined;
  pods: readonly PodRecord[];
  now: number;

  constructor(observed: ObservedRayCluster) {
    this.#frame = observed;
    this.#children = observed.children;
    this.cluster = observed.cluster;
    this.pods = observed.pods;
    this.now = observed.now;
  }

  observe(): ObservedRayCluster | undefined {
    if (this.cluster === undefined) return undefined;
    const { now, cluster, pods } = this;
    return {
      ...this.#frame,
      now,
      cluster,
      pods,
      children: this.#children,
      lastHolders: new Map(this.#lastHolders),
    };
  }

  /** One reconcile. Returns the actions without events, and whether the status was written. */
  pass(observed = this.observe()): { readonly done: readonly Action[]; readonly wroteStatus: boolean } {
    if (observed === undefined) return { done: [], wroteStatus: false };
    const plan = planRayCluster(observed);
    const outcome = this.carryOut(plan.actions);
    const status = plan.statusAfter?.(outcome);
    if (status !== undefined && this.cluster !== undefined) this.cluster = { ...this.cluster, status };
    return { done: plan.actions.filter(({ type }) => type !== 'event'), wroteStatus: status !== undefined };
  }

  carryOut(actions: readonly Action[]): PlanOutcome {
    for (const action of actions) {
      if (action.type === 'abort') return { kind: 'failed', message: action.message };
      if (action.type === 'create' && !this.#create(action)) return { kind: 'waiting', message: '' };
      if (action.type === 'delete' && action.kind === 'Pod') this.#end(({ uid }) => uid === action.uid);
      if (action.type === 'delete' && action.kind === 'Ingress') this.#children = { ...this.#children, ingresses: [] };
      if (action.type === 'delete' && action.kind === 'RoleBinding')
        this.#children = { ...this.#children, roleBindings: [] };
      if (action.type === 'patch') this.#patch(action);
      if (action.type === 'update') this.#put(listOf(action.kind), action.object);
    }
    return { kind: 'done' };
  }

  /** What other controllers do meanwhile: terminating pods no longer exist, Jobs end, and pending pods run. */
  tick(): void {
    this.now += 10_000;
    for (const pod of this.pods.filter(({ isTerminating }) => isTerminating)) {
      this.#lastHolders.set(`${pod.group}/${placeOf(pod)}`, pod);
    }
    this.pods = this.pods
      .filter(({ isTerminating }) => !isTerminating)
      .map((pod) => (pod.phase === 'Pending' ? { ...pod, phase: 'Running', ready: 'True', podIP: '10.0.0.9' } : pod));
    const cleanupJobs = this.#children.cleanupJobs.map((job) => ({ ...job, outcome: 'Complete' }) as const);
    this.#children = { ...this.#children, cleanupJobs };
  }

  /** False if an object of that name is still being deleted. */
  #create({ kind, objects }: CreateAction): boolean {
    return objects.every((object) => {
      if (kind !== 'Pod') {
        this.#put(listOf(kind), object);
        return true;
      }
      const same = this.pods.find(({ name }) => name === object.metadata?.name);
      if (same === undefined) this.pods = [...this.pods, { ...podRecordOf(object, this.#uid()), createdAt: this.now }];
      return same?.isTerminating !== true;
    });
  }

  #put(list: keyof ObservedChildren, object: KubeObject): void {
    const { name = '', uid = this.#uid(), labels = {} } = object.metadata ?? {};
    const owner = object.metadata?.ownerReferences?.[0]?.uid;
    const record: NamedRecord = { name, uid, owner };
    const rest = [...this.#children[list]].filter((item) => nameOf(item) !== name);
    const stored = { ...object, metadata: { ...object.metadata, uid } };
    const item: Record<keyof ObservedChildren, Child> = {
      services: { ...record, labels, clusterIP: 'None', ports: portsOf(object), service: defaulted(stored) },
      serviceAccounts: record,
      roles: { ...record, role: stored },
      roleBindings: { ...record, accounts: accountsOf(object) },
      secrets: record,
      routes: record,
      ingresses: stored,
      claims: stored,
      cleanupJobs: { ...record, outcome: undefined },
      budgets: record,
    };
    this.#children = { ...this.#children, [list]: [...rest, item[list]] };
  }

  #patch({ kind, name, patch }: PatchAction): void {
    const { annotations, finalizers } = metadataIn(patch);
    if (kind === 'Pod') {
      const head = {
        recreateHash: textAt(annotations, Annotation.RecreateHash),
        operatorVersion: textAt(annotations, Annotation.OperatorVersion),
      };
      this.pods = this.pods.map((pod) =>
        pod.name === name && pod.head !== undefined ? { ...pod, head: { ...pod.head, ...head } } : pod,
      );
      return;
    }
    const left = Array.isArray(finalizers) ? finalizers.map(String) : [];
    const isOver = this.cluster?.metadata?.deletionTimestamp !== undefined && left.length === 0;
    this.cluster = isOver ? undefined : { ...this.cluster, metadata: { ...this.cluster?.metadata, finalizers: left } };
  }

  #end(isMeant: (pod: PodRecord) => boolean): void {
    this.pods = this.pods.map((pod) => (isMeant(pod) ? { ...pod, isTerminating: true } : pod));
  }

  #uid(): string {
    this.#uids += 1;
    return `uid-${this.#uids}`;
  }
}

type Child = NamedRecord | RoleRecord | RoleBindingRecord | ServiceRecord | JobRecord | Ingress | PersistentVolumeClaim;

const LISTS: Readonly<Partial<Record<CreateAction['kind'], keyof ObservedChildren>>> = {
  Service: 'services',
  ServiceAccount: 'serviceAccounts',
  Role: 'roles',
  RoleBinding: 'roleBindings',
  Ingress: 'ingresses',
  Route: 'routes',
  Secret: 'secrets',
  PersistentVolumeClaim: 'claims',
  Job: 'cleanupJobs',
  PodDisruptionBudget: 'budgets',
};

function listOf(kind: WrittenKind): keyof ObservedChildren {
  const list = Object.entries(LISTS).find(([each]) => each === kind)?.[1];
  if (list === undefined) throw new Error(`a RayCluster has no ${kind}`);
  return list;
}

/** Defaults of the API server. */
function defaulted(service: Service): Service {
  const ports = service.spec?.ports?.map((port) => ({ protocol: 'TCP', targetPort: port.port, ...port })) ?? [];
  return { ...service, spec: { type: 'ClusterIP', ...service.spec, ports } };
}

function nameOf(child: Child): string | undefined {
  return 'name' in child ? child.name : child.metadata?.name;
}

function accountsOf({ subjects = [] }: Partial<RoleBinding>): readonly string[] {
  return subjects.map(({ name }) => name);
}

function metadataIn(patch: unknown): Readonly<Record<string, unknown>> {
  return isRecord(patch) && isRecord(patch['metadata']) ? patch['metadata'] : {};
}

function portsOf(service: Service): ServiceRecord['ports'] {
  return (service.spec?.ports ?? []).map(({ name = '', port }) => ({ name, nodePort: undefined, targetPort: port }));
}

function placeOf({ replicaIndex = 0, hostIndex }: PodRecord): string {
  return hostIndex === undefined ? String(replicaIndex) : `${replicaIndex}.${hostIndex}`;
}

/** A pod right after its creation. */
function podRecordOf({ metadata = {}, spec }: Pod, uid: string): PodRecord {
  const { labels = {}, annotations = {} } = metadata;
  const numberAt = (key: string) => (labels[key] === undefined ? undefined : Number(labels[key]));
  return {
    name: metadata.name ?? '',
    namespace: metadata.namespace ?? '',
    uid,
    nodeType: labels[Label.NodeType] ?? '',
    group: labels[Label.Group] ?? '',
    cluster: labels[Label.Cluster] ?? '',
    replicaIndex: numberAt(Label.ReplicaIndex),
    replicaName: labels[Label.ReplicaName],
    hostIndex: numberAt(Label.ReplicaHostIndex),
    owner: metadata.ownerReferences?.[0]?.uid,
    createdAt: 0,
    isTerminating: false,
    phase: 'Pending',
    restartPolicy: spec?.restartPolicy ?? 'Always',
    podIP: '',
    node: '',
    ready: 'False',
    rayTerminated: undefined,
    head:
      labels[Label.NodeType] === NodeType.Head
        ? {
            readiness: { status: 'False', reason: 'ContainersNotReady', message: '' },
            recreateHash: annotations[Annotation.RecreateHash] ?? '',
            operatorVersion: annotations[Annotation.OperatorVersion] ?? '',
          }
        : undefined,
  };
}
