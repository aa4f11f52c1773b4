import { Annotation, defaultFeatureGates, isRecord, type KubeObject, readOperatorEnv } from '@manta/api';
import type { BuildContext } from '@manta/plan';
import { itemsOf, type RayObjectKind, type RayRef, type World } from '../world.ts';
import { effectOf, ignoredField, mayBeIgnored, partlyIgnored, undo } from './ignored.ts';
import { applied, changesBetween, replaced } from './merge.ts';
import { podChanges } from './pod-changes.ts';
import { refusalsOf } from './refusals.ts';
import { mostOf, requestedBy, resourceChanges } from './resources.ts';
import { virtualClusterOf } from './scope.ts';
import { downtimeOf, isServing } from './service-level.ts';
import { simulate } from './simulate.ts';
import { stepsOf } from './steps.ts';
import type { FieldChange, Manifest, ObjectPreview, Preview, PreviewOptions } from './types.ts';
import { parseServeConfig, type VirtualRay } from './virtual-observation.ts';
import { VirtualOperator } from './virtual-operator.ts';

/**
 * What would happen if these manifests were applied, one after the other. Runs the operator's own planners on a copy of the world in which
 * pods become ready and Ray answers. What happens without the edits is not reported: the copy first comes to rest without them.
 * Manifests of other kinds than Ray's are left out; a manifest without a namespace is in `default`.
 */
export function preview(world: World, manifests: readonly Manifest[], options: PreviewOptions): Preview {
  const targets = manifests.flatMap((manifest) => {
    const ref = refOfManifest(manifest);
    return ref === undefined ? [] : [{ ref, manifest }];
  });
  const operators = new Map<string, VirtualOperator>();
  const operatorFor = (namespace: string) => {
    const known = operators.get(namespace);
    if (known !== undefined) return known;
    const refs = targets.map(({ ref }) => ref).filter((ref) => ref.namespace === namespace);
    const operator = restingOperator(world, namespace, refs, options);
    operators.set(namespace, operator);
    return operator;
  };
  return {
    objects: targets.map(({ ref, manifest }) => previewOne(operatorFor(ref.namespace), ref, manifest, options)),
  };
}

/** The Ray object that a manifest describes; undefined for other kinds. */
export function refOfManifest(manifest: Manifest): RayRef | undefined {
  const { apiVersion, kind, metadata } = manifest;
  if (typeof apiVersion !== 'string' || !apiVersion.startsWith('ray.io/') || !isRayKind(kind)) return undefined;
  const { name, namespace } = isRecord(metadata) ? metadata : {};
  return {
    kind,
    name: typeof name === 'string' ? name : '',
    namespace: typeof namespace === 'string' && namespace !== '' ? namespace : 'default',
  };
}

const RAY_KINDS: readonly RayObjectKind[] = ['RayCluster', 'RayJob', 'RayService', 'RayCronJob'];

function isRayKind(kind: unknown): kind is RayObjectKind {
  return RAY_KINDS.some((each) => each === kind);
}

/** The world of these objects after everything that is under way has ended. */
function restingOperator(
  world: World,
  namespace: string,
  refs: readonly RayRef[],
  options: PreviewOptions,
): VirtualOperator {
  const cluster = virtualClusterOf(world, namespace, refs);
  const { parseYaml } = options;
  const ray: VirtualRay = {
    context: contextOf(world, options),
    parseYaml,
    hasGatewayApi: world.gateways.kind !== 'absent',
    lastHolders: new Map(),
    serveConfigs: new Map(),
    submissions: new Map(),
    submittedJobs: new Map(),
  };
  for (const service of cluster.objects.RayService.values()) {
    const active = service.status?.activeServiceStatus?.rayClusterName ?? '';
    const config = parseServeConfig({ parseYaml }, service.spec?.serveConfigV2 ?? '');
    if (active !== '' && config.ok) ray.serveConfigs.set(active, config.value);
  }
  for (const job of cluster.objects.RayJob.values()) {
    const { jobId = '', jobStatus = '' } = job.status ?? {};
    if (jobId !== '' && jobStatus !== '') ray.submittedJobs.set(jobId, world.now);
  }
  const operator = new VirtualOperator(cluster, ray);
  simulate(operator);
  return operator;
}

/** The operator's version decides whether it takes over pods of another operator: the one that stamped the pods is assumed to run. */
function contextOf(world: World, { context = {} }: PreviewOptions): BuildContext {
  const stamps = itemsOf(world.pods).map(({ metadata }) => metadata?.annotations?.[Annotation.OperatorVersion]);
  return {
    env: readOperatorEnv({}),
    gates: defaultFeatureGates(),
    operatorVersion: stamps.find((version) => version !== undefined) ?? 'preview',
    podDefaults: {},
    ...context,
  };
}

/** Simulates one edit; `operator` is left as it is after the edit. */
function previewOne(
  operator: VirtualOperator,
  ref: RayRef,
  manifest: Manifest,
  options: PreviewOptions,
): ObjectPreview {
  const { world } = operator;
  const current = currentOf(operator, ref);
  const edit = editOf(current, manifest, options);
  const gates = operator.ray.context.gates;
  const problems = [...edit.problems, ...refusalsOf(ref.kind, edit.object, gates, options.parseYaml)];
  const dropped = edit.dropped.map((path) => ({ path, why: 'unknown field: the API server drops it' }));
  const changes = changesBetween(current ?? {}, edit.object);
  const nothing = { ref, changes, problems, pods: [], steps: [], resources: [], downtime: { kind: 'none' } as const };
  if (problems.length > 0) return { ...nothing, verdict: 'reject', ignored: dropped };
  if (current !== undefined && changes.length === 0) return { ...nothing, verdict: 'nothing', ignored: dropped };

  const before = operator.copy();
  const wasServing = isServing(operator, ref);
  let isAlwaysServing = true;
  const requested = requestedBy(world);
  let peak = requested;
  store(operator, ref, edit.object);
  const { happenings, failure } = simulate(operator, () => {
    peak = mostOf(peak, requestedBy(world));
    isAlwaysServing &&= isServing(operator, ref);
  });
  const serving = { before: wasServing, always: isAlwaysServing, finally: isServing(operator, ref) };
  const pods = podChanges(happenings, before.world, world);
  const ineffective = current === undefined ? [] : ineffectiveChanges(before, operator, ref, edit.object, changes);
  const partly = changes.filter((change) => !ineffective.includes(change));
  return {
    ref,
    verdict: current === undefined ? 'create' : 'change',
    problems: failure === undefined ? [] : [failure],
    changes,
    pods,
    steps: stepsOf(happenings),
    resources: resourceChanges(requested, peak, requestedBy(world)),
    downtime: downtimeOf(ref, serving),
    ignored: [
      ...dropped,
      ...ineffective.map((change) => ignoredField(ref, change)),
      ...partlyIgnored(ref, edit.object, partly, pods),
    ],
  };
}

function currentOf({ world }: VirtualOperator, { kind, name }: RayRef): Manifest | undefined {
  const object = world.get(kind, name);
  return object === undefined ? undefined : { ...object };
}

/** The API server ignores a status in a manifest, e.g. in one that `kubectl get -o yaml` printed. */
function editOf(
  current: Manifest | undefined,
  { status: _ignored, ...manifest }: Manifest,
  { mode, admit }: PreviewOptions,
) {
  const merged =
    current === undefined
      ? withNamespace(manifest)
      : mode === 'replace'
        ? replaced(current, manifest)
        : applied(current, manifest);
  return admit?.(merged, current) ?? { object: merged, dropped: [], problems: [] };
}

function withNamespace(manifest: Manifest): Manifest {
  const metadata = isRecord(manifest['metadata']) ? manifest['metadata'] : {};
  return { ...manifest, metadata: { ...metadata, namespace: metadata['namespace'] ?? 'default' } };
}

function store({ world }: VirtualOperator, { kind, name }: RayRef, edited: Manifest): void {
  const object: KubeObject = { ...edited };
  if (world.get(kind, name) === undefined) world.create(kind, object);
  else world.replace(kind, object);
}

/** More fields than this are not checked one by one. */
const MAX_CHECKED = 12;

/** Changes that make no difference: without them the operator would make the same. */
function ineffectiveChanges(
  before: VirtualOperator,
  after: VirtualOperator,
  ref: RayRef,
  edited: Manifest,
  changes: readonly FieldChange[],
): readonly FieldChange[] {
  const effect = effectOf(after, ref);
  return changes
    .filter((change) => mayBeIgnored(ref, change))
    .slice(0, MAX_CHECKED)
    .filter((change) => {
      const operator = before.copy();
      store(operator, ref, undo(edited, change));
      simulate(operator);
      return effectOf(operator, ref) === effect;
    });
}
