export { type ContainerExit, type ContainerRun, HEALTHY, type PodRule, type RunOf, withLabels } from './pod-script.ts';
export { type NodeAnnouncement, registerNode, setNodeReady } from './register-node.ts';
export { type PodRef, type ScriptedKubelet, type ScriptedKubeletOptions, startScriptedKubelet } from './scripted.ts';
