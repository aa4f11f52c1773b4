export { NAMESPACE_FLAGS, type NamespaceDriverOptions, startNamespaceDriver } from './sandbox/namespace-driver.ts';
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
