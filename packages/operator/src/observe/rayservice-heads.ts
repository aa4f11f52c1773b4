import { LabelValue } from '@manta/api';
import { proxyPath } from '@manta/kube';
import {
  type HeadQuestion,
  headPodOf,
  isHeadReady,
  type ObservedRayService,
  type PodRecord,
  type RayServiceNeeds,
  selectedPods,
  type ServiceCluster,
  servePortOf,
} from '@manta/plan';
import type { Interest, RayHead } from '@manta/ray';
import type { ReconcileContext } from '@manta/runtime';
import { serveAnswer, submissionsOf } from './rayservice-answers.ts';
import { pollerOwner, type RayServiceObserver } from './rayservice-observer.ts';

/** A service, and the heads that commands go to once `readFromHeads` has found them, by the name of their cluster. */
export interface RayServiceObservation extends ObservedRayService {
  readonly heads?: ReadonlyMap<string, RayHead>;
}

/** How often heads are asked. */
const POLL_MS = 2_000;
/** Longer than the longest time between two reconciles of a service, so that only clusters out of use are forgotten. */
const INTEREST_MS = 90_000;

/** What is known of a cluster before its head was asked. */
export const UNASKED = { session: '', serve: { kind: 'unknown' }, isProxyHealthy: undefined, submissions: [] } as const;

type Context = Pick<ReconcileContext, 'key' | 'signal'>;

interface Answered {
  readonly view: ServiceCluster;
  readonly head?: RayHead;
}

/** Adds the last answers of the heads. The poller asks in the background: nothing here waits for Ray. */
export async function readFromHeads(
  observer: RayServiceObserver,
  observed: RayServiceObservation,
  { questions }: RayServiceNeeds,
  context: Context,
): Promise<RayServiceObservation> {
  const clusters: ServiceCluster[] = [];
  const heads = new Map<string, RayHead>();
  for (const view of observed.clusters) {
    const question = questions.find(({ cluster }) => cluster === view.cluster.metadata?.name);
    const answered = question === undefined ? { view } : await ask(observer, observed, view, question, context);
    clusters.push(answered.view);
    if (question !== undefined && answered.head !== undefined) heads.set(question.cluster, answered.head);
  }
  return { ...observed, clusters, heads };
}

async function ask(
  observer: RayServiceObserver,
  { service }: RayServiceObservation,
  view: ServiceCluster,
  { accepted }: HeadQuestion,
  { key, signal }: Context,
): Promise<Answered> {
  const owner = pollerOwner(key);
  const lookup = await observer.heads.find(view.cluster, { signal });
  const session = lookup.isFound ? lookup.head.session : '';
  const takesTraffic = service.spec?.excludeHeadPodFromServeSvc !== true;
  const isProxyHealthy = takesTraffic ? askProxy(observer, view, session, owner) : undefined;
  if (!lookup.isFound) return { view: { ...view, isProxyHealthy, serve: { kind: 'failing', message: lookup.why } } };
  const { head } = lookup;
  const newerThan = accepted?.session === session ? accepted.at : undefined;
  const serve = isHeadReady(observer, view)
    ? serveAnswer(observer.poller.ask(head, { kind: 'serve' }, interestOf(owner, newerThan)))
    : UNASKED.serve;
  const submissions = submissionsOf(observer.poller.results(owner));
  return { view: { ...view, session, isProxyHealthy, submissions, serve }, head };
}

function interestOf(owner: string, newerThan?: number): Interest {
  return { owner, everyMs: POLL_MS, forMs: INTEREST_MS, newerThan };
}

/**
 * For how long a proxy may be silent whose pod is the only one behind the serve Service. Without the pod every request is lost, and a head
 * that is merely busy, say with a new configuration, still answers most of them.
 */
const LAST_POD_MS = 10_000;

function servesAlone(pods: readonly PodRecord[], head: PodRecord): boolean {
  return head.serveLabel === LabelValue.Serving && selectedPods({ pods }).every(({ uid }) => uid === head.uid);
}

/** Whether the Serve proxy on the head pod takes requests; undefined: not answered yet. */
function askProxy(
  observer: RayServiceObserver,
  { cluster, pods }: ServiceCluster,
  session: string,
  owner: string,
): boolean | undefined {
  const head = headPodOf({ pods });
  if (head === undefined || head.podIP === '') return undefined;
  const url = proxyUrl(observer, head, servePortOf(cluster));
  // A head of its own: trouble with the dashboard must not delay the health checks of the proxy.
  const proxy = { url, session: `${session}/${head.uid}` };
  const answer = observer.poller.ask(proxy, { kind: 'proxy-health', url }, interestOf(owner));
  if (answer.kind === 'known') return answer.value;
  // One failure may be a lost packet; after a second one in a row the head gets no more traffic.
  const isSilent = answer.kind === 'failing' && answer.at - answer.since > (servesAlone(pods, head) ? LAST_POD_MS : 0);
  return isSilent ? false : undefined;
}

function proxyUrl(
  { throughApiServer }: RayServiceObserver,
  { name, namespace, podIP }: PodRecord,
  port: number,
): string {
  if (throughApiServer) return proxyPath({ kind: 'pods', namespace, name, port }, '');
  return `http://${podIP.includes(':') ? `[${podIP}]` : podIP}:${port}`;
}
