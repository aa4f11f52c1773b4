/** A container cannot be made as its spec says; the message ends up in the pod's status, and it is tried again. */
export class ContainerConfigError extends Error {
  override readonly name = 'ContainerConfigError';
}
