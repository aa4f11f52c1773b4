/** The addresses of one subnet; `.1` is the supervisor's own. One that was given back is taken again as late as possible. */
export class AddressPool {
  readonly #free: string[] = [];

  readonly #subnet: string;

  constructor(subnet: string) {
    this.#subnet = subnet;
    for (let last = 2; last <= 254; last++) this.#free.push(`${subnet}.${last}`);
  }

  take(): string {
    const address = this.#free.shift();
    if (address === undefined) throw new Error(`all 253 pod addresses of ${this.#subnet}.0/24 are in use`);
    return address;
  }

  give(address: string): void {
    this.#free.push(address);
  }
}
