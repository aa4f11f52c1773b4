import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { runOnCluster } from './start/on-cluster.ts';
import { runOnEngine } from './start/on-engine.ts';

/**
 * `npm start`: the operator against the cluster that the kubeconfig names, or on the embedded engine where none is configured. `-- --exit`
 * checks that it works and leaves with the outcome.
 */
const root = resolve(import.meta.dirname, '..');
const mustExit = process.argv.includes('--exit');

function hasCluster(): boolean {
  if (process.env['KUBERNETES_SERVICE_HOST'] !== undefined) return true;
  const named = process.env['KUBECONFIG'] ?? '';
  // A KUBECONFIG that names no file is a mistake that the operator will put into words; nobody meant it to start something else.
  return named !== '' || existsSync(join(homedir(), '.kube', 'config'));
}

process.exitCode = await (hasCluster() ? runOnCluster(join(root, 'bin/manta'), mustExit) : runOnEngine(root, mustExit));
