import type { MachineKeeper } from './supervisor-keeper.ts';
import type { MachineLine } from './supervisor-line.ts';
import type { SandboxRequest } from './sandbox.ts';

/** A pod's place on the machine, made again, under the same address, on the machine that follows one that died. */
export class Place {
  readonly #keeper: MachineKeeper;
  readonly #request: SandboxRequest;
  readonly #ip: string;
  #made: { readonly on: MachineLine; readonly done: Promise<void> } | undefined;

  constructor(keeper: MachineKeeper, request: SandboxRequest, ip: string) {
    this.#keeper = keeper;
    this.#request = request;
    this.#ip = ip;
  }

  /** The line to the machine that has this place. */
  async line(): Promise<MachineLine> {
    const on = await this.#keeper.line();
    if (this.#made?.on !== on) this.#made = { on, done: this.#make(on) };
    await this.#made.done;
    return on;
  }

  /** Ends everything in it; nothing where the machine is gone. */
  async destroy(): Promise<void> {
    if (this.#made === undefined || this.#made.on.isOver) return;
    await this.#made.on.call({ type: 'destroy', sandbox: this.#request.id });
  }

  async #make(on: MachineLine): Promise<void> {
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
