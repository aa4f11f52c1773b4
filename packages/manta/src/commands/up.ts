import { randomUUID } from 'node:crypto';
import { join, resolve } from 'node:path';
import { readEngineRecord, removeEngineRecord, startEngine, writeEngineRecord } from '@manta/engine';
import { ApiError, systemClock } from '@manta/kube';
import { runOperator, stopSignal } from '@manta/operator';
import { chosenDataDir } from './data-dir.ts';
import { ensureCrds, firstDefinitions } from './engine-crds.ts';
import { refuseForeign, writeKubeconfig } from './kubeconfig-out.ts';

/** What `manta up` was asked for. */
export interface UpOptions {
  /** False where `--no-pods` was given. */
  readonly pods: boolean;
  readonly port: number;
  readonly dataDir?: string;
  readonly kubeconfigOut?: string;
}

/** Serves the API with our CRDs and the operator until SIGINT or SIGTERM; resolves with the exit status. */
export async function up(options: UpOptions, version: string): Promise<number> {
  if (options.pods) throw new Error(NO_PODS_YET);
  const dataDir = chosenDataDir(options.dataDir);
  refuseSecond(dataDir);
  const kubeconfig = resolve(options.kubeconfigOut ?? join(dataDir, 'kubeconfig'));
  refuseForeign(kubeconfig);
  const stop = stopSignal();
  const engine = await startEngine({
    world: { clock: systemClock, newUid: randomUUID, random: Math.random },
    dataDir,
    definitions: firstDefinitions(),
    port: options.port,
    toError: (call, status) => new ApiError(call, status.code ?? 500, status.message ?? '', status),
    onError: sayError,
  });
  try {
    await ensureCrds(engine, dataDir);
    writeKubeconfig(kubeconfig, engine.kubeconfig({ name: 'admin', groups: ['system:masters'] }));
    writeEngineRecord(dataDir, { url: engine.url, kubeconfig, startedAt: new Date().toISOString() });
    process.stdout.write(`ready\nkubeconfig: ${kubeconfig}\n`);
    return await runOperator(operatorFlags(kubeconfig), version, stop.signal);
  } finally {
    await engine.stop();
    removeEngineRecord(dataDir);
    stop.dispose();
  }
}

const NO_PODS_YET =
  'running pods on this machine is not part of this version yet; manta up --no-pods serves the API and the operator without them';

function refuseSecond(dataDir: string): void {
  const running = readEngineRecord(dataDir);
  if (running === undefined) return;
  throw new Error(
    `an engine already serves ${dataDir}: process ${running.pid}, ${running.url}; manta down stops it, --data-dir chooses another directory`,
  );
}

/** There is nobody to lead but this one, and whoever scrapes or probes would have to know its ports: any free ones will do. */
function operatorFlags(kubeconfig: string): readonly string[] {
  return [
    `--kubeconfig=${kubeconfig}`,
    '--enable-leader-election=false',
    '--log-stdout-encoder=console',
    '--metrics-addr=127.0.0.1:0',
    '--health-probe-bind-address=127.0.0.1:0',
  ];
}

function sayError(where: string, error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`manta: ${where}: ${text}\n`);
}
