import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createKubeClient, createTransport, loadConnection, systemClock } from '@manta/kube';
import { rayWithView } from '../../../packages/manta/src/local/ray-with-view.ts';
import { type EngineProcess, startEngineProcess } from './engine-process.ts';
import { runSampleJob } from './sample-job.ts';
import { Stages } from './stages.ts';

const TERMINATED = 'told to stop';

/**
 * The embedded engine with the operator and real Ray on it, in a temporary folder, and a sample RayJob. Resolves with the exit status: that
 * of the sample where it is to leave after it. The flags are those of `manta up`.
 */
export async function runOnEngine(root: string, mustExit: boolean, flags: readonly string[]): Promise<number> {
  const stop = new AbortController();
  // Before there is anything to clean up. Ctrl-C reaches the engine too, which then stops in order; all that is left to do here is to wait.
  process.on('SIGINT', () => stop.abort());
  process.on('SIGTERM', () => stop.abort(TERMINATED));
  const say = (line: string) => console.log(line);
  const stages = new Stages(say, process.stdout.isTTY && !process.env['NO_COLOR']);
  say('Starting Kubernetes’ API, the operator and real Ray on this machine; no cluster is needed.\n');
  const env = await withRay(stages, stop.signal);
  if (env === undefined) return stop.signal.aborted ? 0 : 1;
  const folder = mkdtempSync(join(tmpdir(), 'manta-start-'));
  // A run that ends by itself leaves nobody time to look at a page.
  const allFlags = mustExit ? [...flags, '--no-console'] : flags;
  const manta = join(root, 'bin/manta');
  const engine = startEngineProcess(manta, folder, { flags: allFlags, env }, (line) => stages.reach(line));
  stop.signal.addEventListener('abort', () => {
    if (stop.signal.reason === TERMINATED) engine.stop();
  });
  // Pressed before the engine was there to hear it.
  setImmediate(() => {
    if (stop.signal.aborted) engine.stop();
  });
  try {
    const kubeconfig = await engine.ready;
    if (kubeconfig === undefined)
      return stop.signal.aborted ? await engine.ended : fail('The engine did not start.', engine);
    stages.reach('API and operator up');
    const outcome = await Promise.race([
      sample(root, kubeconfig, stages, stop.signal),
      engine.ended.then(() => undefined),
    ]);
    if (stop.signal.aborted) return await engine.ended;
    if (outcome === undefined) return fail('The engine ended before the sample did.', engine);
    if (mustExit) return outcome ? 0 : 1;
    sayWhatNext(kubeconfig, engine.logFile);
    return await engine.ended;
  } finally {
    engine.stop();
    await engine.ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Installs Ray where it is missing, here, where there is a terminal to show it on. Gives the environment in which the engine finds it; nothing when it cannot be had, which has been said, or was not to go on. */
async function withRay(stages: Stages, signal: AbortSignal): Promise<NodeJS.ProcessEnv | undefined> {
  try {
    const { bin } = await rayWithView(process.stdout, signal, (line) => stages.reach(line));
    if (signal.aborted) return undefined;
    return basename(bin) === 'bin' ? { ...process.env, MANTA_RAY_VENV: dirname(bin) } : process.env;
  } catch (error) {
    if (!signal.aborted) console.error(error instanceof Error ? error.message : String(error));
    return undefined;
  }
}

async function sample(root: string, kubeconfig: string, stages: Stages, signal: AbortSignal): Promise<boolean> {
  const connection = await loadConnection({ kubeconfig });
  const transport = createTransport({ connection, clock: systemClock, userAgent: 'manta-start' });
  const client = createKubeClient({ transport, clock: systemClock });
  try {
    return await runSampleJob({ root, client, transport, stages, say: (line) => console.log(line) }, signal);
  } catch (error) {
    if (!signal.aborted) console.error(error instanceof Error ? error.message : String(error));
    return false;
  } finally {
    await transport.close();
  }
}

function fail(what: string, engine: EngineProcess): number {
  console.error(`${what} Its log ends with:\n${engine.logTail()}`);
  return 1;
}

function sayWhatNext(kubeconfig: string, log: string): void {
  console.log(`
Go on from another terminal:

  export KUBECONFIG=${kubeconfig}
  kubectl apply -f samples/raycluster.yaml
  kubectl get rayjobs,rayclusters,pods

The operator's log is ${log}. Ctrl-C stops everything and removes it; bin/manta up keeps what it holds.`);
}
