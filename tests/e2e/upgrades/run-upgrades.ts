import type { RayService } from '@manta/api';
import { resources } from '@manta/kube';
import { type LocalRay } from '../support/local-ray.ts';
import { create, NAMESPACE, until, untilObject } from '../support/look.ts';
import { OpenLoad, type Sample } from './open-load.ts';
import { BESIDE, OWN_HOST, SERVICE, serviceAt, specOf, STABLE_HOST, type Version } from './versions.ts';

/** One upgrade, in milliseconds since the load began. */
export interface Upgrade {
  readonly version: Version;
  readonly from: number;
  readonly to: number;
  /** Who serves after it. */
  readonly serving: string;
}

/** How much of the traffic goes to the newer cluster, at a time; 0 while there is one only. */
export interface Share {
  readonly at: number;
  readonly percent: number;
}

export interface Report {
  readonly upgrades: readonly Upgrade[];
  readonly samples: readonly Sample[];
  readonly shares: readonly Share[];
}

export interface UpgradeOptions {
  readonly first: Version;
  readonly later: readonly Version[];
  readonly perSecond: number;
  /** How long the load goes on without an upgrade: before the first, and after each. */
  readonly restMs: number;
  /** How long a broken version may go without progress, as the RayService's annotation has it; one that works has all the time it needs. */
  readonly deadline: string;
  readonly say?: (line: string) => void;
  /** Done in the middle of each upgrade: the new cluster has been begun. */
  readonly midway?: () => Promise<void>;
}

const ref = { namespace: NAMESPACE, name: SERVICE };
const SHARE_MS = 250;
/** A busy machine needs minutes for what a quiet one does in seconds. */
const AMPLE = '10m';

/** Keeps a service under load while it goes from version to version; what is broken is not repaired but followed by the next one. */
export async function runUpgrades(ray: LocalRay, options: UpgradeOptions): Promise<Report> {
  const { first, later, say = () => undefined } = options;
  await create(ray, BESIDE);
  await ray.client.create(resources.rayServices, serviceAt(first, AMPLE));
  await untilObject(ray, resources.rayServices, SERVICE, (service) => isSettled(service));
  const load = new OpenLoad({ port: ray.routerPort, perSecond: options.perSecond });
  const shares = new Shares(ray, load);
  const upgrades: Upgrade[] = [];
  try {
    await aim(ray, load, first);
    await pause(options.restMs);
    for (const version of later) {
      const upgrade = await upgradeTo(ray, load, version, options);
      upgrades.push(upgrade);
      say(tell(upgrade, load.samples));
      await pause(options.restMs);
    }
  } finally {
    await shares.stop();
    await load.stop();
  }
  return { upgrades, samples: load.samples, shares: shares.seen };
}

async function upgradeTo(
  ray: LocalRay,
  load: OpenLoad,
  version: Version,
  { deadline, midway }: UpgradeOptions,
): Promise<Upgrade> {
  const before = await ray.client.get(resources.rayServices, ref);
  if (before.spec?.upgradeStrategy?.type !== version.strategy) await changeStrategy(ray, load, version, before);
  const servingBefore = activeOf(before);
  const from = load.now();
  const annotations = { 'ray.io/upgrade-progress-deadline': version.broken === undefined ? AMPLE : deadline };
  const body = { metadata: { annotations }, spec: specOf(version) };
  const { metadata } = await ray.client.patch(resources.rayServices, ref, { type: 'merge', body });
  if (midway !== undefined) {
    const hasBegun = ({ status }: RayService) => (status?.pendingServiceStatus?.rayClusterName ?? '') !== '';
    await untilObject(ray, resources.rayServices, SERVICE, hasBegun);
    await midway();
  }
  const after = await untilObject(ray, resources.rayServices, SERVICE, (service) => {
    const isSeen = (service.status?.observedGeneration ?? 0) >= (metadata?.generation ?? 0);
    const isDone = version.broken === undefined ? activeOf(service) !== servingBefore : wasRolledBack(service);
    return isSeen && isDone && isSettled(service);
  });
  return { version, from, to: load.now(), serving: activeOf(after) };
}

/** The strategy alone: a Gateway comes or goes, and clients follow it. */
async function changeStrategy(ray: LocalRay, load: OpenLoad, version: Version, before: RayService): Promise<void> {
  load.aimAt([STABLE_HOST]);
  const { upgradeStrategy } = specOf(version);
  const strategy = { clusterUpgradeOptions: null, ...upgradeStrategy };
  const body = { spec: { ...before.spec, upgradeStrategy: strategy } };
  await ray.client.patch(resources.rayServices, ref, { type: 'merge', body });
  await aim(ray, load, version);
}

/** Requests go through every way in that there is, once it is there. */
async function aim(ray: LocalRay, load: OpenLoad, { strategy }: Version): Promise<void> {
  const targets = strategy === 'NewCluster' ? [STABLE_HOST] : [STABLE_HOST, OWN_HOST];
  for (const host of targets) await until(`an answer for ${host}`, () => answers(ray, host), Boolean);
  load.aimAt(targets);
}

async function answers({ routerPort }: LocalRay, host: string): Promise<boolean> {
  const probe = new OpenLoad({ port: routerPort, perSecond: 1 });
  probe.aimAt([host]);
  await pause(50);
  const [sample] = await probe.stop();
  return sample?.text !== undefined;
}

function activeOf({ status }: RayService): string {
  return status?.activeServiceStatus?.rayClusterName ?? '';
}

function conditionOf({ status }: RayService, wanted: string) {
  return status?.conditions?.find(({ type }) => type === wanted);
}

/** It serves, and nothing is under way: the cluster that it had before, or the one that failed, is forgotten. */
function isSettled(service: RayService): boolean {
  const isReady = conditionOf(service, 'Ready')?.status === 'True';
  const isIdle = conditionOf(service, 'UpgradeInProgress')?.status !== 'True';
  return isReady && isIdle && (service.status?.pendingServiceStatus?.rayClusterName ?? '') === '';
}

function wasRolledBack(service: RayService): boolean {
  return conditionOf(service, 'UpgradeInProgress')?.reason === 'ProgressDeadlineExceeded';
}

/** Looks at where the traffic goes, all the time. */
class Shares {
  readonly seen: Share[] = [];
  readonly #ray: LocalRay;
  readonly #load: OpenLoad;
  readonly #watching: Promise<void>;
  #isOver = false;

  constructor(ray: LocalRay, load: OpenLoad) {
    this.#ray = ray;
    this.#load = load;
    this.#watching = this.#watch();
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#watching;
  }

  async #watch(): Promise<void> {
    while (!this.#isOver) {
      const service = await this.#ray.client.get(resources.rayServices, ref).catch(() => undefined);
      const percent = service?.status?.pendingServiceStatus?.trafficRoutedPercent ?? 0;
      this.seen.push({ at: this.#load.now(), percent });
      await pause(SHARE_MS);
    }
  }
}

function tell({ version, from, to, serving }: Upgrade, samples: readonly Sample[]): string {
  const during = samples.filter(({ at }) => at >= from && at <= to);
  const lost = during.filter(({ text }) => text === undefined).length;
  const how = version.broken === undefined ? 'took over' : `broken (${version.broken}), rolled back`;
  return `${version.name} ${version.strategy}: ${how} after ${((to - from) / 1000).toFixed(1)} s; ${during.length} requests, ${lost} lost; ${serving} serves`;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
