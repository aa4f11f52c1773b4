import { isRecord, type KubeObject } from '@manta/api';
import {
  type Action,
  type ClusterMemory,
  type CreateAction,
  EMPTY_RAYJOB_MEMORY,
  EMPTY_SERVICE_MEMORY,
  afterRayJobProgress,
  controllerOf,
  NO_CLUSTER_MEMORY,
  type PlanOutcome,
  planRayCluster,
  planRayCronJob,
  planRayJob,
  planRayService,
  type RayAction,
  type RayJobMemory,
  type ServiceMemory,
} from '@manta/plan';
import type { VirtualCluster } from './virtual-cluster.ts';
import {
  copyRay,
  observeVirtualCluster,
  observeVirtualCronJob,
  observeVirtualJob,
  observeVirtualService,
  type VirtualRay,
} from './virtual-observation.ts';

/** What the operator did and wants in one round over all objects. */
export interface Round {
  readonly isBusy: boolean;
  readonly requeueAfterMs: number | undefined;
  /** Why a plan was not carried out to its end. */
  readonly failures: readonly string[];
}

/** Runs the operator's planners on a virtual cluster and carries out what they decide. */
export class VirtualOperator {
  readonly world: VirtualCluster;
  readonly ray: VirtualRay;
  readonly #clusters: Map<string, ClusterMemory>;
  readonly #jobs: Map<string, RayJobMemory>;
  readonly #services: Map<string, ServiceMemory>;
  /** Serve configurations and Ray jobs that were sent, oldest first. */
  readonly commands: RayAction[] = [];

  constructor(world: VirtualCluster, ray: VirtualRay, from?: VirtualOperator) {
    this.world = world;
    this.ray = ray;
    this.#clusters = new Map(from === undefined ? [] : from.#clusters);
    this.#jobs = new Map(from === undefined ? [] : from.#jobs);
    this.#services = new Map(from === undefined ? [] : from.#services);
  }

  copy(): VirtualOperator {
    return new VirtualOperator(this.world.copy(), copyRay(this.ray), this);
  }

  /** Reconciles every object once. */
  round(): Round {
    const rounds = [
      ...this.#each('RayCronJob', this.world.objects.RayCronJob, (object) => this.#cronJob(object)),
      ...this.#each('RayJob', this.world.objects.RayJob, (object) => this.#job(object)),
      ...this.#each('RayService', this.world.objects.RayService, (object) => this.#service(object)),
      ...this.#each('RayCluster', this.world.objects.RayCluster, (object) => this.#cluster(object)),
    ];
    const requeues = rounds.flatMap(({ requeueAfterMs }) => requeueAfterMs ?? []);
    return {
      isBusy: rounds.some(({ isBusy }) => isBusy),
      requeueAfterMs: requeues.length === 0 ? undefined : Math.min(...requeues),
      failures: rounds.flatMap(({ failures }) => failures),
    };
  }

  #each<T extends KubeObject>(kind: string, objects: Map<string, T>, reconcile: (object: T) => Reconciled): Round[] {
    return [...objects.keys()].flatMap((name) => {
      const object = objects.get(name);
      if (object === undefined) return [];
      const changesBefore = this.world.changes.length;
      const commandsBefore = this.commands.length;
      const { outcome, status, requeueAfterMs } = reconcile(object);
      const isNew = status !== undefined && json(status) !== json(statusOf(object));
      if (isNew) this.world.writeStatus(kind, name, status);
      const hasActed = this.world.changes.length > changesBefore || this.commands.length > commandsBefore;
      return [
        { isBusy: isNew || hasActed, requeueAfterMs, failures: outcome.kind === 'failed' ? [outcome.message] : [] },
      ];
    });
  }

  #cluster(cluster: Parameters<typeof observeVirtualCluster>[2]): Reconciled {
    const key = cluster.metadata?.uid ?? '';
    const plan = planRayCluster(
      observeVirtualCluster(this.world, this.ray, cluster),
      this.#clusters.get(key) ?? NO_CLUSTER_MEMORY,
    );
    if (plan.memory !== undefined) this.#clusters.set(key, plan.memory);
    const outcome = this.#carryOut(plan.actions, cluster);
    return { outcome, status: plan.statusAfter?.(outcome), requeueAfterMs: plan.requeueAfterMs };
  }

  #job(job: Parameters<typeof observeVirtualJob>[2]): Reconciled {
    const key = job.metadata?.uid ?? '';
    const { world, ray } = this;
    const plan = planRayJob(observeVirtualJob(world, ray, job), this.#jobs.get(key) ?? EMPTY_RAYJOB_MEMORY);
    const outcome = this.#carryOut(plan.actions, job);
    let memory = afterRayJobProgress(plan.memory ?? EMPTY_RAYJOB_MEMORY, {
      kind: 'acted',
      actions: plan.actions,
      outcome,
      generation: job.metadata?.generation,
      now: world.now,
    });
    const status = outcome.kind === 'done' ? plan.status : undefined;
    if (status !== undefined)
      memory = afterRayJobProgress(memory, { kind: 'status-written', before: job.status, status, now: world.now });
    this.#jobs.set(key, memory);
    return { outcome, status, requeueAfterMs: plan.requeueAfterMs };
  }

  #service(service: Parameters<typeof observeVirtualService>[2]): Reconciled {
    const key = service.metadata?.uid ?? '';
    const { world, ray } = this;
    const plan = planRayService(
      observeVirtualService(world, ray, service),
      this.#services.get(key) ?? EMPTY_SERVICE_MEMORY,
    );
    this.#services.set(key, plan.memory ?? EMPTY_SERVICE_MEMORY);
    const outcome = this.#carryOut(plan.actions, service);
    return {
      outcome,
      status: outcome.kind === 'done' ? plan.status : undefined,
      requeueAfterMs: plan.requeueAfterMs,
    };
  }

  #cronJob(cronJob: Parameters<typeof observeVirtualCronJob>[2]): Reconciled {
    const plan = planRayCronJob(observeVirtualCronJob(this.world, this.ray, cronJob));
    const outcome = this.#carryOut(plan.actions, cronJob);
    return { outcome, status: outcome.kind === 'done' ? plan.status : undefined, requeueAfterMs: plan.requeueAfterMs };
  }

  #carryOut(actions: readonly Action[], reconciled: KubeObject): PlanOutcome {
    let outcome: PlanOutcome = { kind: 'done' };
    for (const action of actions) {
      if (action.type === 'abort') return { kind: 'failed', message: action.message };
      if (action.type === 'wait')
        outcome = { kind: 'waiting', message: action.message, requeueAfterMs: action.requeueAfterMs };
      else if (action.type === 'create') {
        const problem = this.#create(action, reconciled);
        if (problem !== undefined && action.isOptional !== true && action.whenForeign !== 'skip') {
          if (action.continueOnFailure !== true) return problem;
          outcome = problem;
        }
      } else this.#change(action);
    }
    return outcome;
  }

  #change(action: Exclude<Action, { readonly type: 'abort' | 'wait' | 'create' }>): void {
    const { world } = this;
    switch (action.type) {
      case 'event':
        return;
      case 'update':
        world.replace(action.kind, action.object);
        return;
      case 'patch':
        world.patch(action.kind, action.name, action.patch);
        return;
      case 'delete':
        world.delete(action.kind, action.name);
        return;
      case 'ray':
        this.#command(action);
    }
  }

  /** Undefined after a success. */
  #create({ kind, objects, whenExists, failure }: CreateAction, reconciled: KubeObject): PlanOutcome | undefined {
    for (const object of objects) {
      const name = object.metadata?.name ?? '';
      const existing = this.world.get(kind, name);
      if (existing === undefined) {
        this.world.create(kind, object);
        continue;
      }
      if (whenExists === 'fine') continue;
      const isOurs = controllerOf(existing) === reconciled.metadata?.uid;
      if (whenExists === 'failure' || !isOurs)
        return { kind: 'failed', message: `${kind} ${name} exists already`, failure };
      if (existing.metadata?.deletionTimestamp !== undefined)
        return { kind: 'waiting', message: `${kind} ${name} is still being deleted` };
    }
    return undefined;
  }

  /** Ray does at once what it is asked. */
  #command(action: RayAction): void {
    const { command, cluster, id } = action;
    const { ray, world } = this;
    if (command.kind === 'settle') {
      const left = (ray.submissions.get(cluster) ?? []).filter((submission) => submission.id !== id);
      ray.submissions.set(cluster, left);
      return;
    }
    this.commands.push(action);
    switch (command.kind) {
      case 'put-serve': {
        const config: unknown = JSON.parse(command.config);
        if (isRecord(config)) ray.serveConfigs.set(cluster, config);
        ray.submissions.set(cluster, [...(ray.submissions.get(cluster) ?? []), { id, state: 'done', at: world.now }]);
        return;
      }
      case 'submit':
        ray.submittedJobs.set(command.job.submissionId, world.now);
        return;
      case 'stop':
      case 'delete':
        ray.submittedJobs.set(`stop/${command.jobId}`, world.now);
    }
  }
}

interface Reconciled {
  readonly outcome: PlanOutcome;
  readonly status: unknown;
  readonly requeueAfterMs: number | undefined;
}

function statusOf(object: KubeObject & { readonly status?: unknown }): unknown {
  return object.status;
}

function json(value: unknown): string {
  return JSON.stringify(value) ?? '';
}
