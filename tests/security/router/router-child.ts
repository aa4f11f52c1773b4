import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '@manta/kube';
import { buildRoutes, createProxy } from '@manta/router';
import { observedOf } from '../../../packages/router/src/testing/objects.ts';
import type { ChildAnswer, ChildOrder } from './start-router.ts';

/** The router in a process of its own, so that a blocked event loop or an exception does not end the test. Takes its orders by IPC. */

const proxy = createProxy({
  clock: systemClock,
  random: Math.random,
  listenerLimits: { headersMs: 1_500, requestMs: 0, idleMs: 1_500, stallMs: 1_500, checkMs: 250 },
});

const say = (answer: ChildAnswer) => process.send?.(answer);

async function obey(order: ChildOrder): Promise<void> {
  if (order.kind === 'objects') {
    const { table, routes } = buildRoutes(observedOf(order.objects), 'manta');
    proxy.setTable(table);
    say({ kind: 'built', routes: Object.fromEntries(routes) });
  } else if (order.kind === 'table') {
    proxy.setTable(order.table);
    say({ kind: 'built', routes: {} });
  } else {
    for (let i = 0; i < 5; i += 1) {
      globalThis.gc?.();
      await wait(20);
    }
    const { heapUsed, external } = process.memoryUsage();
    const outstanding = [...proxy.outstanding().values()].reduce((sum, count) => sum + count, 0);
    say({ kind: 'measured', bytes: heapUsed + external, sockets: socketCount(), outstanding });
  }
}

/** Open connections. */
function socketCount(): number {
  return process.getActiveResourcesInfo().filter((name) => /TCPSocketWrap|TLSWrap/.test(name)).length;
}

process.on('message', (order: ChildOrder) => void obey(order));
const port = await proxy.listen({ host: '127.0.0.1', port: 0 });
say({ kind: 'serving', port });
