import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createKubeClient, createTransport, loadConnection, systemClock } from '@manta/kube';
import { nextSteps } from '../../../packages/manta/src/local/next-steps.ts';
import { rayWithView } from '../../../packages/manta/src/local/ray-with-view.ts';
import { type EngineProcess, startEngineProcess } from './engine-process.ts';
import { runSampleJob } from './sample-job.ts';
import { Stages } from './stages.ts';

/**
 * The embedded engine with the operator and real Ray on it, in a temporary folder, and a sample RayJob. Resolves with the exit status: that
 * of the sample where it is to leave after it. The flags are those of `manta up`.
 */
export async function runOnEngine(root: string, mustExit: boolean, flags: readonly string[]): Promise<number> {
  const stop = new AbortController();
  const engines: EngineProcess[] = [];
  const end = () => {
    stop.abort();
    for (const engine of engines) engine.stop();
  };
  // Before there is anything to clean up. A second signal reaches the engine, too, which then does not wait for its pods.
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, end);
  // A terminal that was closed takes no more output: that is no reason to end without cleaning up.
  for (const output of [process.stdout, process.stderr]) output.once('error', end).on('error', () => undefined);
  const say = (line: string) => console.log(line);
  const stages = new Stages(say, process.stdout.isTTY && !process.env['NO_COLOR']);
  say('Starting Kubernetes’ API, the operator and real Ray on this machine; no cluster is needed.\n');
  const env = await withRay(stages, stop.signal);
  if (env === undefined) return stop.signal.aborted ? 0 : 1;
  const folder = mkdtempSync(join(tmpdir(), 'manta-start-'));
  // A run that ends by itself leaves nobody time to look at a page.
  const allFlags = mustExit ? [...flags, '--no-console'] : flags;
  const manta = join(root, 'bin/manta');
  const running = startEngineProcess(manta, folder, { flags: allFlags, env }, (line) => stages.reach(line));
  engines.push(running);
  try {
    const kubeconfig = await running.ready;
    if (kubeconfig === undefined)
      return stop.signal.aborted ? await running.ended : fail('The engine did not start.', running);
    stages.reach('API and operator up');
    const outcome = await Promise.race([
      sample(root, kubeconfig, stages, stop.signal),
      running.ended.then(() => undefined),
    ]);
    if (stop.signal.aborted) return await running.ended;
    if (outcome === undefined) return fail('The engine ended before the sample did.', running);
    if (mustExit) return outcome ? 0 : 1;
    const onStop = 'its objects are deleted with it (bin/manta up keeps them)';
    say(nextSteps({ kubeconfig, logFile: running.logFile, dataDir: join(folder, 'data'), onStop }));
    return await running.ended;
  } finally {
    running.stop();
    await running.ended;
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
