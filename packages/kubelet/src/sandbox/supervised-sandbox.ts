import type { SupervisorKeeper } from './supervisor-keeper.ts';
import type { SupervisorConnection } from './supervisor-connection.ts';
import type { SandboxRequest } from './sandbox.ts';

/** A pod's sandbox. It is recreated under the same address on the supervisor that replaces one that died. */
export class SupervisedSandbox {
  readonly #keeper: SupervisorKeeper;
  readonly #request: SandboxRequest;
  readonly #ip: string;
  #made: { readonly on: SupervisorConnection; readonly done: Promise<void> } | undefined;

  constructor(keeper: SupervisorKeeper, request: SandboxRequest, ip: string) {
    this.#keeper = keeper;
    this.#request = request;
    this.#ip = ip;
  }

  /** The connection to the supervisor that has this sandbox. */
  async line(): Promise<SupervisorConnection> {
    const on = await this.#keeper.line();
    if (this.#made?.on !== on) this.#made = { on, done: this.#make(on) };
    await this.#made.done;
    return on;
  }

  /** Ends everything in it; does nothing if the supervisor has ended. */
  async destroy(): Promise<void> {
    if (this.#made === undefined || this.#made.on.isOver) return;
    await this.#made.on.call({ type: 'destroy', sandbox: this.#request.id });
  }

  async #make(on: SupervisorConnection): Promise<void> {
    const { id, hostname, memory = [] } = this.#request;
    try {
      await on.call({ type: 'create', sandbox: id, ip: this.#ip, hostname, memory });
    } catch (error) {
      this.#made = undefined;
      await on.call({ type: 'destroy', sandbox: id }).catch(() => undefined);
      throw error;
    }
  }
}
