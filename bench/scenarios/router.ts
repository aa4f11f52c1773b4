import { readFileSync } from 'node:fs';
import type { Measurement, Scenario } from '../scenario.ts';
import { runChild, startChild } from '../support/child.ts';
import { findPeers, type RunningPeer } from '../support/router-peer.ts';
import { withTemporaryFolder } from '../support/temporary-folder.ts';

const CONNECTIONS = 32;
const BUSY_REQUESTS = 30_000;
const CALM_REQUESTS = 4_000;
const CALM_RATE = 1_000;
const ROUNDS = 3;

interface Load {
  readonly requestsPerSecond: number;
  readonly failures: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

interface Result {
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly failures: number;
  /** Of the proxy's own process; what else runs on the machine disturbs it least. */
  readonly cpuMicrosPerRequest: number;
  readonly rssMiB: number;
}

interface Way {
  readonly name: string;
  readonly port: number;
  readonly pid: number;
}

/** What a request costs that goes through the router, next to one that does not and to one through another proxy. */
export const router: Scenario = {
  name: 'router',
  what: `GETs of 1 KiB over ${CONNECTIONS} connections: direct, through our router, and through nginx or Envoy where there is one; each proxy has one thread`,
  run: () =>
    withTemporaryFolder(async (folder): Promise<Measurement> => {
      const backend = startChild<{ port: number }>('support/router-backend.ts', []);
      const { port: backendPort } = await backend.first;
      const ours = startChild<{ port: number }>(
        'support/router-proxy.ts',
        [String(backendPort), String(backendPort)],
        ['--max-semi-space-size=2'],
      );
      const running: { readonly name: string; readonly peer: RunningPeer }[] = [];
      for (const peer of await findPeers())
        running.push({ name: peer.name, peer: await peer.start(backendPort, folder) });
      try {
        const { port } = await ours.first;
        const ways: readonly Way[] = [
          { name: 'direct', port: backendPort, pid: backend.process.pid ?? 0 },
          { name: 'router', port, pid: ours.process.pid ?? 0 },
          ...running.map(({ name, peer }) => ({ name, port: peer.port, pid: peer.pid })),
        ];
        return report(await measureAll(ways));
      } finally {
        await Promise.all([ours.stop(), backend.stop(), ...running.map(({ peer }) => peer.stop())]);
      }
    }),
};

/** In turns, so that what else happens on the machine meets all of them. The best round of each counts. */
async function measureAll(ways: readonly Way[]): Promise<ReadonlyMap<string, Result>> {
  const rounds = new Map<string, Result[]>(ways.map(({ name }) => [name, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const way of ways) rounds.get(way.name)?.push(await measure(way));
  }
  return new Map([...rounds].map(([name, results]) => [name, best(results)]));
}

async function measure({ port, pid }: Way): Promise<Result> {
  const load = (requests: number, rate: number) =>
    runChild<Load>('support/router-client.ts', [port, CONNECTIONS, requests, rate].map(String));
  const before = cpuMicros(pid);
  const busy = await load(BUSY_REQUESTS, 0);
  const cpuMicrosPerRequest = (cpuMicros(pid) - before) / BUSY_REQUESTS;
  const calm = await load(CALM_REQUESTS, CALM_RATE);
  return {
    requestsPerSecond: busy.requestsPerSecond,
    p50Ms: calm.p50Ms,
    p99Ms: calm.p99Ms,
    failures: busy.failures + calm.failures,
    cpuMicrosPerRequest,
    rssMiB: residentMiB(pid),
  };
}

function best(results: readonly Result[]): Result {
  const least = (of: (result: Result) => number) => Math.min(...results.map(of));
  return {
    requestsPerSecond: Math.max(...results.map((result) => result.requestsPerSecond)),
    p50Ms: least((result) => result.p50Ms),
    p99Ms: least((result) => result.p99Ms),
    failures: results.reduce((sum, { failures }) => sum + failures, 0),
    cpuMicrosPerRequest: least((result) => result.cpuMicrosPerRequest),
    rssMiB: Math.max(...results.map((result) => result.rssMiB)),
  };
}

function report(results: ReadonlyMap<string, Result>): Measurement {
  const direct = results.get('direct');
  const added = ({ p50Ms, p99Ms }: Result) => ({
    p50: p50Ms - (direct?.p50Ms ?? 0),
    p99: p99Ms - (direct?.p99Ms ?? 0),
  });
  const figures = [...results].flatMap(([name, result]) => [
    ...Object.entries(result).map(([figure, value]): [string, number] => [`${name}.${figure}`, value]),
    [`${name}.addedP50Ms`, added(result).p50] satisfies [string, number],
    [`${name}.addedP99Ms`, added(result).p99] satisfies [string, number],
  ]);
  const lines = [...results].map(([name, result]) => {
    const { p50, p99 } = added(result);
    const cost =
      name === 'direct'
        ? `p50 ${result.p50Ms.toFixed(2)}, p99 ${result.p99Ms.toFixed(2)} ms`
        : `adds ${p50.toFixed(2)} and ${p99.toFixed(2)} ms`;
    return `${name} ${result.requestsPerSecond.toFixed(0)}/s, ${cost}, ${result.cpuMicrosPerRequest.toFixed(0)} µs of CPU a request, ${result.rssMiB.toFixed(0)} MiB`;
  });
  const ours = results.get('router');
  return {
    summary: `${lines.join('; ')} (p50 and p99 at ${CALM_RATE}/s; best of ${ROUNDS})`,
    figures: Object.fromEntries(figures),
    budgets: [
      { what: 'no request fails', isKept: ours?.failures === 0 },
      { what: 'less than 1 ms added in the middle', isKept: ours !== undefined && added(ours).p50 < 1 },
    ],
  };
}

/** User and system time of a process; zero where the system does not say. */
function cpuMicros(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) * MICROS_PER_TICK;
  } catch {
    return 0;
  }
}

const MICROS_PER_TICK = 10_000;

/** Zero where the system does not say. */
function residentMiB(pid: number): number {
  try {
    const pages = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Number(pages ?? 0) / 1024;
  } catch {
    return 0;
  }
}
