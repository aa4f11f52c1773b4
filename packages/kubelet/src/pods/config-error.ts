/** A container cannot be made as its spec says; the message ends up in the pod's status, and it is tried again. */
export class ContainerConfigError extends Error {
  override readonly name: string = 'ContainerConfigError';
  /** What the container waits for, as a kubelet says it. */
  readonly reason: string = 'CreateContainerConfigError';
}

/** There is nothing to run in a container. */
export class NoCommandError extends ContainerConfigError {
  override readonly name = 'NoCommandError';
  override readonly reason = 'CreateContainerError';
}

/** A volume cannot be made ready: the pod's containers wait for it, and an event says why. */
export class VolumeError extends ContainerConfigError {
  override readonly name = 'VolumeError';
  override readonly reason = 'ContainerCreating';
  readonly volume: string;

  constructor(volume: string, message: string) {
    super(message);
    this.volume = volume;
  }
}
