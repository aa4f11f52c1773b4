import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import type { ParentVerdict } from '../../../packages/router/src/gateway/build-routes.ts';
import type { RouteTable } from '../../../packages/router/src/proxy/route-table.ts';
import type { observedOf } from '../../../packages/router/src/testing/objects.ts';

export type ChildOrder =
  | { readonly kind: 'objects'; readonly objects: Parameters<typeof observedOf>[0] }
  | { readonly kind: 'table'; readonly table: RouteTable }
  | { readonly kind: 'measure' };

export type ChildAnswer =
  | { readonly kind: 'serving'; readonly port: number }
  | { readonly kind: 'built'; readonly routes: Readonly<Record<string, readonly ParentVerdict[]>> }
  | ({ readonly kind: 'measured' } & Measured);

export interface Measured {
  /** Heap and buffers after a garbage collection. */
  readonly bytes: number;
  readonly sockets: number;
  /** Requests under way. */
  readonly outstanding: number;
}

/** A router in a process of its own, with limits of a second and a half. */
export interface RouterUnderAttack {
  readonly port: number;
  readonly process: ChildProcess;
  /** Serves Gateways and routes; resolves with what the router says about the routes. */
  serve(objects: Parameters<typeof observedOf>[0]): Promise<Readonly<Record<string, readonly ParentVerdict[]>>>;
  serveTable(table: RouteTable): Promise<void>;
  measure(): Promise<Measured>;
  stop(): Promise<void>;
}

export async function startRouter(): Promise<RouterUnderAttack> {
  const child = fork(resolve(import.meta.dirname, 'router-child.ts'), [], {
    execArgv: ['--disable-warning=ExperimentalWarning', '--expose-gc'],
  });
  const exited = once(child, 'exit');
  const heard = async (): Promise<ChildAnswer> => {
    const [answer] = await Promise.race([
      once(child, 'message'),
      exited.then(([code]) => Promise.reject(new Error(`the router ended with status ${code}`))),
    ]);
    return answer;
  };
  const told = async (order: ChildOrder): Promise<ChildAnswer> => {
    const answer = heard();
    child.send(order);
    return await answer;
  };
  const first = await heard();
  if (first.kind !== 'serving') throw new Error(`the router said ${first.kind} before it served`);
  return {
    port: first.port,
    process: child,
    async serve(objects) {
      const answer = await told({ kind: 'objects', objects });
      return answer.kind === 'built' ? answer.routes : {};
    },
    serveTable: async (table) => void (await told({ kind: 'table', table })),
    async measure() {
      const answer = await told({ kind: 'measure' });
      if (answer.kind !== 'measured') throw new Error(`the router said ${answer.kind} instead of its size`);
      return answer;
    },
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await exited;
    },
  };
}
