import { readFileSync } from 'node:fs';
import { startControlPlane } from '../../tests/support/control-plane.ts';
import { startChild } from './child.ts';
import { withTemporaryFolder } from './temporary-folder.ts';

/** An API server that is measured: ours, or the real one with its etcd. */
export interface MeasuredServer {
  readonly kubeconfig: string;
  /** What its processes hold in memory now. */
  rssBytes(): number;
  /** CPU seconds that its processes have used. */
  cpuSeconds(): number;
}

/** Does the same with the embedded engine and with the real API server, one after the other. */
export async function onBothServers<T>(
  work: (server: MeasuredServer) => Promise<T>,
): Promise<Record<'engine' | 'real', T>> {
  const engine = await withTemporaryFolder(async (folder) => {
    const child = startChild<{ kubeconfig: string }>('support/engine-server.ts', [folder]);
    const { kubeconfig } = await child.first;
    try {
      return await work(serverOf(kubeconfig, [child.process.pid ?? 0]));
    } finally {
      await child.stop();
    }
  });
  const plane = await startControlPlane({ controllerManager: true });
  try {
    // The controller manager's part is in our one process too.
    return { engine, real: await work(serverOf(plane.adminKubeconfig.path, plane.pids())) };
  } finally {
    await plane.stop();
  }
}

function serverOf(kubeconfig: string, pids: readonly number[]): MeasuredServer {
  const sum = (one: (pid: number) => number) => pids.reduce((total, pid) => total + one(pid), 0);
  return {
    kubeconfig,
    rssBytes: () =>
      sum((pid) => 1024 * Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)),
    cpuSeconds: () => sum(cpuOf),
  };
}

const TICKS_PER_SECOND = 100;

function cpuOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}
