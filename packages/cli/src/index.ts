/**
 * `kubectl ray`: the command line for people who run Ray on Kubernetes. It needs a kubeconfig and nothing else: no kubectl, no Python.
 * `program.ts` lists the commands, `commands/` has one file for each, `output/` prints tables and documents, `build/` turns flags into
 * RayClusters and RayJobs.
 */
export { runKubectlRay } from './program.ts';
export { type CliWorld, systemWorld } from './world.ts';
