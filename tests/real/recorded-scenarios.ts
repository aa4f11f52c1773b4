/** The peer's recorded scenarios: what they apply, what was recorded, and the form in which it was recorded. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { KubeObject, RayCluster } from '@manta/api';
import type { PodDefaults } from '@manta/plan';
import { sharedFolder } from '../support/shared-folder.ts';

/** Objects by `Kind/name`, without whatever differs from run to run. */
export type SnapshotObjects = Readonly<Record<string, Answered>>;

/** An object that a test looks into wherever it likes. */
// oxlint-disable-next-line typescript/no-explicit-any -- recordings are read freely and asserted on
export type Answered = any;

export interface Snapshot {
  readonly label: string;
  /** The clusters as the scenario had written them by then. */
  readonly clusters: readonly RayCluster[];
  readonly objects: SnapshotObjects;
}

export interface RecordedScenario {
  /** Every scenario has a namespace of its own, always the same. */
  readonly namespace: string;
  readonly operator: {
    readonly env?: Readonly<Record<string, string>>;
    readonly featureGates?: Readonly<Record<string, boolean>>;
    readonly config?: PodDefaults;
    readonly crds?: readonly string[];
  };
  readonly snapshots: readonly Snapshot[];
}

/** A kind that makes RayClusters, or makes what does. */
export type ParentKind = 'RayJob' | 'RayService' | 'RayCronJob';

/** A moment of a scenario that is about RayJobs, RayServices or RayCronJobs. */
export interface ParentSnapshot {
  readonly label: string;
  /** The objects of its kind as the scenario had written them by then. */
  readonly parents: readonly Answered[];
  /** The RayClusters that it had written itself. */
  readonly clusters: readonly RayCluster[];
  readonly objects: SnapshotObjects;
  /** What the peer had told the dashboard. */
  readonly dashboard: { readonly writes?: readonly { readonly body: unknown }[] };
}

export const oracleFolder = join(sharedFolder(), 'oracle');

/** Reads the RayCluster scenarios whose file names match. */
export function readScenarios(pattern: string): Readonly<Record<string, RecordedScenario>> {
  return run(['play', pattern], '') as Record<string, RecordedScenario>;
}

/** Reads the scenarios of such a kind whose file names match. */
export function readParentScenarios(
  kind: ParentKind,
  pattern: string,
): Readonly<Record<string, { readonly snapshots: readonly ParentSnapshot[] }>> {
  return run(['play', pattern, kind], '') as Record<string, { readonly snapshots: readonly ParentSnapshot[] }>;
}

/** Puts objects of the server, by scenario, into the form of a snapshot. */
export function normalise(
  scenarios: Readonly<Record<string, { readonly namespace: string; readonly objects: readonly KubeObject[] }>>,
): Readonly<Record<string, SnapshotObjects>> {
  return run(['normalise'], JSON.stringify(scenarios)) as Record<string, SnapshotObjects>;
}

function run(args: readonly string[], input: string): unknown {
  const program = join(import.meta.dirname, 'recorded-scenarios.py');
  const output = execFileSync('python3', [program, oracleFolder, ...args], { input, maxBuffer: 2 ** 28 });
  return JSON.parse(output.toString());
}
