import { join, resolve } from 'node:path';
import { GuardedProcess } from '../../support/guarded-process.ts';
import { type LocalRay, type LocalRayOptions, startLocalRay } from './local-ray.ts';
import { until } from './look.ts';

const MANTA = resolve(import.meta.dirname, '../../../bin/manta');
const STOP_MS = 20_000;

/** An engine whose operator is a process of its own, so that it can be killed alone. */
export interface LocalRayApart extends LocalRay {
  /** Kills the operator on the spot, as a crash would, and starts it again. It must have been alive: one that has ended by itself is a fault. */
  killOperator(): Promise<void>;
}

export interface ApartOptions extends LocalRayOptions {
  /** What the operator is told. */
  readonly operatorArgs?: readonly string[];
}

/** Starts an engine without an operator, and an operator beside it; stopping it stops both. */
export async function startOperatorApart(options: ApartOptions = {}): Promise<LocalRayApart> {
  const ray = await startLocalRay({ ...options, args: ['--no-operator', ...(options.args ?? [])] });
  const proxy = () => /^proxy: (.+)$/m.exec(ray.log())?.[1] ?? '';
  await until('the proxy', () => Promise.resolve(proxy()), Boolean);
  const start = () => startOperator(ray, proxy(), options.operatorArgs ?? []);
  let operator = start();
  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    if (!operator.isRunning) throw new Error(`the operator has ended by itself:\n${operator.logTail()}`);
    await operator.stop(signal, STOP_MS);
  };
  const endBoth = async (signal: 'SIGTERM' | 'SIGKILL') => {
    try {
      await end(signal);
    } finally {
      await (signal === 'SIGTERM' ? ray.stop() : ray.kill());
    }
  };
  return {
    ...ray,
    async killOperator() {
      await end('SIGKILL');
      operator = start();
    },
    stop: () => endBoth('SIGTERM'),
    kill: () => endBoth('SIGKILL'),
  };
}

function startOperator({ folder, kubeconfig }: LocalRay, proxy: string, args: readonly string[]): GuardedProcess {
  const flags = ['--metrics-addr=127.0.0.1:0', '--health-probe-bind-address=127.0.0.1:0'];
  const words = [`HTTP_PROXY=${proxy}`, MANTA, 'operator', `--kubeconfig=${kubeconfig}`, ...flags];
  return new GuardedProcess({
    command: '/usr/bin/env',
    args: [...words, '--enable-leader-election=false', ...args],
    logFile: join(folder, 'operator.log'),
    folder,
  });
}
