import { isRecord, Label, NodeType } from '@manta/api';
import type { StoreEvent } from '@manta/apiserver';
import type { Clock } from '@manta/kube';
import type { RayResponse, RaySend } from '@manta/ray';
import type { History, Invariant } from '../history.ts';
import type { Backstage, Scenario } from '../scenario.ts';
import { environment } from './environment.ts';
import { goal } from './goal.ts';
import { serviceProgram } from './program.ts';
import { put } from './serve.ts';
import { asService, prepare, SERVICE, STORED } from './stage.ts';

/** What Ray has answered in one run, and when the answers arrived. */
interface Heard {
  putAt: number | undefined;
  /** When the first answer arrived that was asked for after the PUT and says that all applications run. */
  confirmedAt: number | undefined;
}

/** The longest that a message takes while nothing is wrong, and a little more: our own write comes back by a watch. */
const MESSAGE_MS = 1_200;

/**
 * A new service that nothing disturbs: no user, no fault. `isDeaf` plays an operator that hears of running applications only by the third
 * answer.
 */
export function undisturbedService({ isDeaf = false } = {}): Scenario {
  const heard: Heard = { putAt: undefined, confirmedAt: undefined };
  const listen = (inner: RaySend, clock: Clock) => {
    const heeded = listening(heard, inner, clock);
    return isDeaf ? deaf(heeded) : heeded;
  };
  return {
    name: 'rayservice-undisturbed',
    program: serviceProgram(undefined, listen),
    async prepare(backstage) {
      Object.assign(heard, { putAt: undefined, confirmedAt: undefined });
      await prepare(backstage);
    },
    environment(backstage) {
      environment(backstage);
      serveFromTheStart(backstage);
    },
    moves: {},
    faults: [],
    invariants: { 'a service is promoted by the first answer that its applications run': isPromotedAtOnce(heard) },
    goal,
    isAfterthought: (plural) => plural === 'events',
  };
}

/** Heads run an application of their own before they are told any: the status has news just when the configuration is sent. */
function serveFromTheStart(backstage: Backstage): void {
  const { api } = backstage;
  const listener = ({ type, object }: StoreEvent) => {
    const isHead = object.metadata.labels?.[Label.NodeType] === NodeType.Head;
    if (type !== 'ADDED' || !isHead) return;
    put(backstage, object, undefined, { applications: [{ name: 'app', import_path: 'of-the-image' }] });
  };
  api.store.watch(api.store.revision, listener, STORED.pods);
}

/** From the confirming answer to the promotion the operator is never idle for longer than its own last write takes to come back. */
function isPromotedAtOnce(heard: Heard): Invariant {
  return (history) => {
    const promoted = history.events.find(({ by, key, object }) => {
      const isStatus = by === 'operator' && key.resource === STORED.services && key.name === SERVICE;
      return isStatus && (asService(object).status?.activeServiceStatus?.rayClusterName ?? '') !== '';
    });
    if (promoted === undefined) return undefined;
    if (heard.confirmedAt === undefined) return 'promoted before Ray has confirmed it';
    const idleMs = longestIdleMs(history, heard.confirmedAt, promoted.at);
    return idleMs > MESSAGE_MS ? `the operator was idle for ${idleMs} ms` : undefined;
  };
}

/** The longest time between two moments in which no write was under way. */
function longestIdleMs({ requests }: History, from: number, until: number): number {
  let [idleMs, busyUntil] = [0, from];
  for (const { sentAt, answeredAt = until, plural } of requests) {
    if (plural === 'events' || answeredAt < from || sentAt > until) continue;
    idleMs = Math.max(idleMs, sentAt - busyUntil);
    busyUntil = Math.max(busyUntil, answeredAt);
  }
  return Math.max(idleMs, until - busyUntil);
}

/** Notes what Ray answers. */
function listening(heard: Heard, inner: RaySend, clock: Clock): RaySend {
  return async (request) => {
    const sentAt = clock.now();
    const answer = await inner(request);
    const isServe = new URL(request.url).pathname.startsWith('/api/serve/applications');
    if (!isServe) return answer;
    if (request.method === 'PUT') heard.putAt ??= clock.now();
    const text = await textOf(answer);
    const isAfterPut = heard.putAt !== undefined && sentAt > heard.putAt;
    if (isAfterPut && isRunning(text)) heard.confirmedAt ??= clock.now();
    return { ...answer, body: bytesOf(text) };
  };
}

function deaf(inner: RaySend): RaySend {
  let count = 0;
  return async (request) => {
    const answer = await inner(request);
    const text = await textOf(answer);
    if (!isRunning(text)) return { ...answer, body: bytesOf(text) };
    count += 1;
    return { ...answer, body: bytesOf(count < 3 ? text.replaceAll('RUNNING', 'DEPLOYING') : text) };
  };
}

function isRunning(text: string): boolean {
  const details: unknown = text.startsWith('{') ? JSON.parse(text) : undefined;
  const applications = isRecord(details) && isRecord(details['applications']) ? details['applications'] : {};
  const all = Object.values(applications);
  return all.length > 0 && all.every((each) => isRecord(each) && each['status'] === 'RUNNING');
}

async function textOf({ body }: RayResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}
