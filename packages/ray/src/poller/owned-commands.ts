import type { CommandResult } from '../command.ts';

/** The commands of each owner that are not settled. */
export class OwnedCommands {
  readonly #byOwner = new Map<string, Map<string, CommandResult>>();

  /** Whether the owner has a command of this id. */
  has(owner: string, id: string): boolean {
    return this.#byOwner.get(owner)?.has(id) ?? false;
  }

  /** The owner's commands, oldest first. */
  of(owner: string): readonly CommandResult[] {
    return [...(this.#byOwner.get(owner)?.values() ?? [])];
  }

  /** Adds a command. */
  set(owner: string, result: CommandResult): void {
    const own = this.#byOwner.get(owner) ?? new Map<string, CommandResult>();
    own.set(result.id, result);
    this.#byOwner.set(owner, own);
  }

  /** Records how a command ended, unless it has been settled meanwhile; says whether it did. */
  replace(owner: string, running: CommandResult, ended: CommandResult): boolean {
    const own = this.#byOwner.get(owner);
    if (own?.get(running.id) !== running) return false;
    own.set(ended.id, ended);
    return true;
  }

  /** Removes one command. */
  remove(owner: string, id: string): void {
    const own = this.#byOwner.get(owner);
    own?.delete(id);
    if (own?.size === 0) this.#byOwner.delete(owner);
  }

  /** Removes all commands of an owner. */
  forget(owner: string): void {
    this.#byOwner.delete(owner);
  }
}
