/** A kubelet for tests, simulation and benchmarks: pods follow a script instead of running processes. */

export { registerNode } from '../node/register-node.ts';
export { type PodRule, withLabels } from './pod-script.ts';
export { type ScriptedKubelet, startScriptedKubelet } from './scripted.ts';
