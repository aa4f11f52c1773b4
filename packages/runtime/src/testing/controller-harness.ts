import type { KubeObject } from '@manta/api';
import type { ResourceType } from '@manta/kube';
import { type ControllerOptions, createController } from '../controller.ts';
import { createInformer } from '../informer.ts';
import { type Logger, silentLogger } from '../logger.ts';
import { createMetricsRegistry } from '../metrics/registry.ts';
import { fromInformer } from '../source.ts';
import { FakeClient } from './fake-client.ts';
import { FakeClock } from './fake-clock.ts';
import { seededRandom } from './seeded-random.ts';

const type = (kind: string): ResourceType => ({
  group: '',
  version: 'v1',
  plural: `${kind.toLowerCase()}s`,
  kind,
  isNamespaced: true,
});

export const CLUSTERS = type('Cluster');
export const PODS = type('Pod');

/** An object with nothing but a name. */
export const cluster = (name: string, namespace = 'n'): KubeObject => ({ metadata: { name, namespace } });
/** Aborted after each test. */
export const stops: AbortController[] = [];

/** One line of the log. */
export interface Report {
  readonly message: string;
  readonly error?: unknown;
  readonly fields: Readonly<Record<string, unknown>>;
}

function recordingLogger(reports: Report[], inherited = {}): Logger {
  const write = (message: string, fields?: object) =>
    void reports.push({ message, fields: { ...inherited, ...fields } });
  return {
    named: () => recordingLogger(reports, inherited),
    with: (fields) => recordingLogger(reports, { ...inherited, ...fields }),
    debug: () => undefined,
    info: write,
    warn: write,
    error: (message, error, fields) => void reports.push({ message, error, fields: { ...inherited, ...fields } }),
  };
}

export type Options = Pick<ControllerOptions, 'reconcile'> &
  Partial<ControllerOptions> & {
    readonly namespaces?: readonly string[];
    readonly prepare?: (client: FakeClient) => void;
  };

/** A running controller of clusters, with an informer of pods beside it, on a fake server. */
export async function setUp({ namespaces, prepare, ...options }: Options) {
  const clock = new FakeClock();
  const client = new FakeClient({ clock });
  const reports: Report[] = [];
  const metrics = createMetricsRegistry();
  const world = { clock, client, random: seededRandom(1), log: recordingLogger(reports), metrics };
  const clusters = createInformer({ ...world, log: silentLogger }, { type: CLUSTERS, project: (o) => o, namespaces });
  const pods = createInformer({ ...world, log: silentLogger }, { type: PODS, project: (o) => o, namespaces });
  prepare?.(client);
  const controller = createController(world, { name: 'cluster', sources: [fromInformer(clusters)], ...options });
  const stop = new AbortController();
  const abort = new AbortController();
  stops.push(stop, abort);
  void clusters.run(stop.signal);
  void pods.run(stop.signal);
  const over = controller.run(stop.signal, abort.signal);
  await clock.settle();
  const metric = (line: string) =>
    metrics
      .text()
      .split('\n')
      .find((found) => found.startsWith(`${line} `))
      ?.split(' ')[1];
  return { clock, client, clusters, pods, controller, stop, abort, over, reports, metric, world };
}
