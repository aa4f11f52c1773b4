import { spawn } from 'node:child_process';

const HEALTH_URL = 'http://127.0.0.1:8082/readyz?verbose';
const READY_WITHIN_MS = 30_000;

/** The operator against the cluster that the kubeconfig names, with its log readable. Resolves with the exit status. */
export async function runOnCluster(manta: string, mustExit: boolean): Promise<number> {
  const installed = await run(manta, ['crds', 'apply']);
  if (installed !== 0) return installed;
  const operator = spawn(manta, ['operator', '--enable-leader-election=false', '--log-stdout-encoder=console'], {
    stdio: 'inherit',
  });
  const ended = new Promise<number>((done) =>
    operator.once('exit', (code, signal) => done(code ?? (signal === null ? 1 : 0))),
  );
  const stop = () => void operator.kill('SIGTERM');
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', stop);
  const report = await Promise.race([waitUntilReady(), ended.then(() => undefined)]);
  if (report === undefined) {
    stop();
    return (await ended) || 1;
  }
  console.log(
    `\nThe operator is running.\n${report}\nTry: kubectl apply -f samples/raycluster.yaml; kubectl get rayclusters. Ctrl-C stops the operator.\n`,
  );
  if (mustExit) stop();
  return await ended;
}

function run(command: string, args: readonly string[]): Promise<number> {
  return new Promise((done) => {
    spawn(command, args, { stdio: 'inherit' }).once('exit', (code) => done(code ?? 1));
  });
}

async function waitUntilReady(): Promise<string | undefined> {
  const deadline = Date.now() + READY_WITHIN_MS;
  while (Date.now() < deadline) {
    const answer = await fetch(HEALTH_URL).catch(() => undefined);
    if (answer?.ok) return await answer.text();
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  console.error(`The operator did not become ready within ${READY_WITHIN_MS / 1000} s; its log above says why.`);
  return undefined;
}
