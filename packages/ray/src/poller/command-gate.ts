/** Whether commands may be sent to heads. Closed while this process is not sure to lead: another process may give commands then. */
export class CommandGate {
  #opened: PromiseWithResolvers<void> | undefined;

  get isOpen(): boolean {
    return this.#opened === undefined;
  }

  close(): void {
    this.#opened ??= Promise.withResolvers();
  }

  open(): void {
    this.#opened?.resolve();
    this.#opened = undefined;
  }

  /** Resolves when the gate is open, perhaps at once; it may be closed again when the caller continues. */
  async whenOpen(): Promise<void> {
    await this.#opened?.promise;
  }
}
