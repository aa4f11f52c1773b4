import type { RayCluster, RayService } from '@manta/api';
import { proxyPath } from '@manta/kube';
import {
  headPodOf,
  isHeadReady,
  type PodRecord,
  type ServiceCluster,
  type ServiceMemory,
  servePortOf,
} from '@manta/plan';
import type { Interest, RayHead } from '@manta/ray';
import type { ObjectKey } from '@manta/runtime';
import { serveAnswer, submissionsOf } from './rayservice-answers.ts';
import { ownerOf, type RayServiceObserver } from './rayservice-observer.ts';

interface Asked {
  readonly key: ObjectKey;
  readonly service: RayService;
  readonly cluster: RayCluster;
  readonly pods: readonly PodRecord[];
  readonly memory: ServiceMemory;
  readonly signal: AbortSignal;
}

/** How often heads are asked. */
const BEAT_MS = 2_000;
/** Longer than the longest time between two looks at a service, so that only clusters out of use are forgotten. */
const INTEREST_MS = 90_000;

const UNASKED = { serve: { kind: 'unknown' }, isProxyHealthy: undefined, submissions: [] } as const;

/** A cluster with the last that its Serve said. Clusters that the service no longer uses are not asked. */
export async function askCluster(
  observer: RayServiceObserver,
  asked: Asked,
): Promise<{ readonly view: ServiceCluster; readonly head: RayHead | undefined }> {
  const { cluster, pods, service, signal } = asked;
  const name = cluster.metadata?.name ?? '';
  const view: ServiceCluster = { cluster, pods, session: '', ...UNASKED };
  const { activeServiceStatus, pendingServiceStatus } = service.status ?? {};
  const isInUse = [activeServiceStatus, pendingServiceStatus].some((side) => side?.rayClusterName === name);
  if (!isInUse) return { view, head: undefined };
  const lookup = await observer.heads.find(cluster, { signal });
  const session = lookup.isFound ? lookup.head.session : '';
  const isProxyHealthy = askProxy(observer, asked, session);
  if (!lookup.isFound) {
    return { view: { ...view, isProxyHealthy, serve: { kind: 'failing', message: lookup.why } }, head: undefined };
  }
  const { head } = lookup;
  const submissions = submissionsOf(observer.poller.results(ownerOf(asked.key)));
  return {
    view: { ...view, session, isProxyHealthy, submissions, serve: askServe(observer, asked, view, head) },
    head,
  };
}

function askServe(
  observer: RayServiceObserver,
  asked: Asked,
  view: ServiceCluster,
  head: RayHead,
): ServiceCluster['serve'] {
  if (!isHeadReady(observer, view)) return UNASKED.serve;
  const known = asked.memory.heads[asked.cluster.metadata?.name ?? ''];
  const newerThan = known?.session === head.session ? known.accepted?.at : undefined;
  const interest: Interest = { owner: ownerOf(asked.key), everyMs: BEAT_MS, forMs: INTEREST_MS, newerThan };
  return serveAnswer(observer.poller.ask(head, { kind: 'serve' }, interest));
}

/** Whether Serve's proxy on the head pod takes requests; a head that is kept out of the traffic is not asked. */
function askProxy(observer: RayServiceObserver, { key, service, cluster, pods }: Asked, session: string) {
  const head = headPodOf({ pods });
  if (service.spec?.excludeHeadPodFromServeSvc === true || head === undefined || head.podIP === '') return undefined;
  const url = proxyUrl(observer, head, servePortOf(cluster));
  const interest: Interest = { owner: ownerOf(key), everyMs: BEAT_MS, forMs: INTEREST_MS };
  // A head of its own: trouble with the dashboard must not keep us from looking at the proxy.
  const answer = observer.poller.ask(
    { url, session: `${session}/${head.uid}` },
    { kind: 'proxy-health', url },
    interest,
  );
  if (answer.kind === 'known') return answer.value;
  // One lost packet is no reason to take a head out of the traffic; a second one in a row is.
  return answer.kind === 'failing' && answer.at > answer.since ? false : undefined;
}

function proxyUrl(
  { throughApiServer }: RayServiceObserver,
  { name, namespace, podIP }: PodRecord,
  port: number,
): string {
  if (throughApiServer) return proxyPath({ kind: 'pods', namespace, name, port }, '');
  return `http://${podIP.includes(':') ? `[${podIP}]` : podIP}:${port}`;
}
