import {
  isRecord,
  type Job,
  type KubeObject,
  type PersistentVolumeClaim,
  type Pod,
  type RayCluster,
  type RayCronJob,
  type RayJob,
  type RayService,
  type Role,
  type RoleBinding,
  type Service,
} from '@manta/api';
import type { Gateway, HttpRoute, WrittenKind } from '@manta/plan';

/** Kinds whose content matters to a planner; of others only their existence does. */
export interface VirtualObjects {
  readonly RayCluster: Map<string, RayCluster>;
  readonly RayJob: Map<string, RayJob>;
  readonly RayService: Map<string, RayService>;
  readonly RayCronJob: Map<string, RayCronJob>;
  readonly Pod: Map<string, Pod>;
  readonly Service: Map<string, Service>;
  readonly Job: Map<string, Job>;
  readonly PersistentVolumeClaim: Map<string, PersistentVolumeClaim>;
  readonly Role: Map<string, Role>;
  readonly RoleBinding: Map<string, RoleBinding>;
  readonly Gateway: Map<string, Gateway>;
  readonly HTTPRoute: Map<string, HttpRoute>;
  readonly Other: Map<string, KubeObject>;
}

type VirtualKind = keyof VirtualObjects;

type Whole = KubeObject & { readonly spec?: unknown; readonly status?: unknown };

/** What happened to an object. */
export interface VirtualChange {
  readonly verb: 'create' | 'update' | 'delete';
  readonly kind: string;
  readonly before: KubeObject | undefined;
  readonly after: KubeObject | undefined;
}

/** The objects of one namespace, hypothetical ones among them: as much of an API server as planners notice. */
export class VirtualCluster {
  readonly objects: VirtualObjects;
  now: number;
  readonly #uids: { next: number };
  /** Everything that happened, oldest first. */
  readonly changes: VirtualChange[] = [];

  constructor(now: number, from?: VirtualCluster) {
    this.now = now;
    this.#uids = from === undefined ? { next: 1 } : { next: from.#uids.next };
    this.objects = {
      RayCluster: new Map(from?.objects.RayCluster),
      RayJob: new Map(from?.objects.RayJob),
      RayService: new Map(from?.objects.RayService),
      RayCronJob: new Map(from?.objects.RayCronJob),
      Pod: new Map(from?.objects.Pod),
      Service: new Map(from?.objects.Service),
      Job: new Map(from?.objects.Job),
      PersistentVolumeClaim: new Map(from?.objects.PersistentVolumeClaim),
      Role: new Map(from?.objects.Role),
      RoleBinding: new Map(from?.objects.RoleBinding),
      Gateway: new Map(from?.objects.Gateway),
      HTTPRoute: new Map(from?.objects.HTTPRoute),
      Other: new Map(from?.objects.Other),
    };
  }

  /** Another one with the same objects, which changes independently. */
  copy(): VirtualCluster {
    return new VirtualCluster(this.now, this);
  }

  get(kind: string, name: string): KubeObject | undefined {
    return this.#map(kind).get(keyOf(kind, name));
  }

  /** Stores an object that exists already. */
  load(kind: string, object: KubeObject): void {
    this.#map(kind).set(keyOf(kind, nameOf(object)), object);
  }

  create(kind: string, object: KubeObject): void {
    const uid = `preview-${this.#uids.next}`;
    this.#uids.next += 1;
    const creationTimestamp = new Date(Math.floor(this.now / 1000) * 1000).toISOString();
    const metadata = { generation: 1, ...object.metadata, uid, creationTimestamp, resourceVersion: '1' };
    const stored = withServerFields(kind, { ...object, metadata });
    this.load(kind, stored);
    this.changes.push({ verb: 'create', kind, before: undefined, after: stored });
  }

  /** Stores a new version. A changed spec is a new generation. An object that is being deleted vanishes with its last finalizer. */
  replace(kind: string, object: KubeObject): void {
    const before = this.get(kind, nameOf(object));
    const old = before?.metadata ?? {};
    const isNewSpec = json(specOf(before)) !== json(specOf(object));
    const generation = (old.generation ?? 1) + (isNewSpec ? 1 : 0);
    const resourceVersion = String(Number(old.resourceVersion ?? 1) + 1);
    const after = { ...object, metadata: { ...object.metadata, generation, resourceVersion } };
    const isOver = after.metadata.deletionTimestamp !== undefined && (after.metadata.finalizers ?? []).length === 0;
    if (isOver && kind !== 'Pod') {
      this.#remove(kind, after);
      return;
    }
    this.load(kind, after);
    this.changes.push({ verb: 'update', kind, before, after });
  }

  /** Writes a status, which is no new generation. */
  writeStatus(kind: string, name: string, status: unknown): void {
    const before = this.get(kind, name);
    const after: Whole = { ...before, status };
    if (before !== undefined) this.load(kind, after);
  }

  /** A JSON merge patch. */
  patch(kind: WrittenKind, name: string, patch: unknown): void {
    const before = this.get(kind, name);
    if (before === undefined || !isRecord(patch)) return;
    const merged = mergePatch(before, withoutPreconditions(patch));
    if (isRecord(merged)) this.replace(kind, { ...merged });
  }

  /** Pods terminate until `removeTerminated`; objects with finalizers stay until those are removed. */
  delete(kind: string, name: string): void {
    const before = this.get(kind, name);
    if (before === undefined || before.metadata?.deletionTimestamp !== undefined) return;
    const isWaiting = kind === 'Pod' || (before.metadata?.finalizers ?? []).length > 0;
    if (!isWaiting) {
      this.#remove(kind, before);
      return;
    }
    const deletionTimestamp = new Date(this.now).toISOString();
    const after = { ...before, metadata: { ...before.metadata, deletionTimestamp } };
    this.load(kind, after);
    this.changes.push({ verb: 'delete', kind, before, after });
  }

  /** Ends terminating pods; returns them. */
  removeTerminated(): readonly Pod[] {
    const pods = [...this.objects.Pod.values()].filter(({ metadata }) => metadata?.deletionTimestamp !== undefined);
    for (const { metadata } of pods) this.objects.Pod.delete(metadata?.name ?? '');
    return pods;
  }

  #remove(kind: string, object: KubeObject): void {
    this.#map(kind).delete(keyOf(kind, nameOf(object)));
    if (object.metadata?.deletionTimestamp === undefined)
      this.changes.push({ verb: 'delete', kind, before: object, after: undefined });
    this.#collectGarbage(object.metadata?.uid);
  }

  /** Deletes what a deleted object owned. */
  #collectGarbage(owner: string | undefined): void {
    const maps = Object.entries<Map<string, KubeObject>>({ ...this.objects });
    for (const [kind, objects] of maps) {
      for (const [key, object] of objects) {
        const owners = object.metadata?.ownerReferences ?? [];
        const ownKind = kind === 'Other' ? key.slice(0, key.indexOf('/')) : kind;
        if (owners.length > 0 && owners.every((each) => each.uid === owner)) this.delete(ownKind, nameOf(object));
      }
    }
  }

  #map(kind: string): Map<string, KubeObject> {
    return isVirtualKind(kind, this.objects) ? this.objects[kind] : this.objects.Other;
  }
}

function isVirtualKind(kind: string, objects: VirtualObjects): kind is VirtualKind {
  return Object.hasOwn(objects, kind);
}

function keyOf(kind: string, name: string): string {
  return KEPT.has(kind) ? name : `${kind}/${name}`;
}

const KEPT: ReadonlySet<string> = new Set([
  'RayCluster',
  'RayJob',
  'RayService',
  'RayCronJob',
  'Pod',
  'Service',
  'Job',
  'PersistentVolumeClaim',
  'Role',
  'RoleBinding',
  'Gateway',
  'HTTPRoute',
]);

/** What the API server fills in and planners compare. */
function withServerFields(kind: string, object: Whole): Whole {
  const spec = isRecord(object.spec) ? object.spec : {};
  if (kind === 'Pod') return { ...object, status: { phase: 'Pending' } };
  if (kind !== 'Service') return object;
  const ports = Array.isArray(spec['ports']) ? spec['ports'].filter(isRecord) : [];
  const complete = ports.map((port) => ({ protocol: 'TCP', targetPort: port['port'], ...port }));
  return { ...object, spec: { type: 'ClusterIP', clusterIP: '10.0.0.1', ...spec, ports: complete } };
}

/** The server only checks these. */
function withoutPreconditions(patch: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { metadata } = patch;
  if (!isRecord(metadata)) return patch;
  const { resourceVersion: _version, uid: _uid, ...rest } = metadata;
  return { ...patch, metadata: rest };
}

function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const result: Record<string, unknown> = isRecord(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = mergePatch(result[key], value);
  }
  return result;
}

function specOf(object: (KubeObject & { readonly spec?: unknown }) | undefined): unknown {
  return object?.spec;
}

function nameOf({ metadata }: KubeObject): string {
  return metadata?.name ?? '';
}

function json(value: unknown): string {
  return JSON.stringify(value) ?? '';
}

/** The number of ready pods that a Service selects and that have its port, if it names one. */
export function endpointsOf(cluster: VirtualCluster, service: Service): number {
  const selector = Object.entries(service.spec?.selector ?? {});
  const names = (service.spec?.ports ?? [])
    .map(({ targetPort }) => targetPort)
    .filter((each) => typeof each === 'string');
  const hasPorts = ({ spec }: Pod) => {
    const own = (spec?.containers ?? []).flatMap(({ ports = [] }) => ports.map(({ name }) => name));
    return names.length === 0 || names.some((name) => own.includes(name));
  };
  return [...cluster.objects.Pod.values()].filter(
    ({ metadata, status, ...pod }) =>
      hasPorts(pod) &&
      selector.every(([key, value]) => metadata?.labels?.[key] === value) &&
      metadata?.deletionTimestamp === undefined &&
      status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true,
  ).length;
}
