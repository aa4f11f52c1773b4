import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/**
 * `npm start`: the operator against the cluster that the kubeconfig names, with its log readable. `-- --exit` checks that it comes up
 * and leaves with the outcome.
 */
const root = resolve(import.meta.dirname, '..');
const HEALTH_URL = 'http://127.0.0.1:8082/readyz?verbose';
const READY_WITHIN_MS = 30_000;

async function main(): Promise<number> {
  const mustExit = process.argv.includes('--exit');
  const kubeconfig = process.env['KUBECONFIG'] ?? join(homedir(), '.kube', 'config');
  if (process.env['KUBERNETES_SERVICE_HOST'] === undefined && !kubeconfig.split(':').some((path) => existsSync(path))) {
    console.error(
      [
        'Manta needs a Kubernetes cluster to work on, and none is configured: KUBECONFIG is not set and ~/.kube/config does not exist.',
        'Point KUBECONFIG at a kubeconfig file and run npm start again. (Running Ray on this machine without a cluster is not part of',
        'this version yet.)',
      ].join('\n'),
    );
    return 1;
  }
  const manta = join(root, 'bin/manta');
  const installed = await run(manta, ['crds', 'apply']);
  if (installed !== 0) return installed;
  const operator = spawn(manta, ['operator', '--enable-leader-election=false', '--log-stdout-encoder=console'], { stdio: 'inherit' });
  const ended = new Promise<number>((done) => operator.once('exit', (code, signal) => done(code ?? (signal === null ? 1 : 0))));
  const stop = () => void operator.kill('SIGTERM');
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', stop);
  const report = await Promise.race([waitUntilReady(), ended.then(() => undefined)]);
  if (report === undefined) return (await ended) || 1;
  console.log(`\nThe operator is running.\n${report}\nTry: kubectl apply -f <a RayCluster>; kubectl get rayclusters. Ctrl-C stops the operator.\n`);
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

process.exitCode = await main();
