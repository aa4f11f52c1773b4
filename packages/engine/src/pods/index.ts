export {
  createImageTable,
  type ImageAnswer,
  type ImageTable,
  type ImageTableOptions,
  type RayOfVersion,
} from './kubelet/images.ts';
export { PLAIN_GATEWAY, type PlainDriverOptions, startPlainDriver } from './plain/plain-driver.ts';
export { runMachine } from './machine/machine.ts';
export type { SandboxMode } from './sandbox/choose-driver.ts';
export {
  NAMESPACE_FLAGS,
  POD_GATEWAY,
  type NamespaceDriverOptions,
  startNamespaceDriver,
} from './sandbox/namespace-driver.ts';
export type {
  ExecStreams,
  Mount,
  ProcessEnd,
  ProcessRequest,
  Sandbox,
  SandboxDriver,
  SandboxProcess,
  SandboxRequest,
} from './sandbox/sandbox.ts';
export { type LocalPods, type PodsOptions, startPods } from './start-pods.ts';
