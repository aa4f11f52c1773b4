/** A range of numbers to hand out, such as the addresses of services or the ports of nodes. */
export interface Pool {
  /** The first that may be handed out. */
  readonly first: number;
  readonly count: number;
}

/** The default range of cluster IPs. */
export const SERVICE_CIDR = '10.0.0.0/16';

/** The service addresses of a CIDR such as `10.0.0.0/16`: all but the network's own and the broadcast address. */
export function addressPool(cidr: string): Pool {
  const match = /^(\d+)\.(\d+)\.(\d+)\.(\d+)\/(\d+)$/.exec(cidr);
  const [a = 0, b = 0, c = 0, d = 0, bits = 32] = (match ?? []).slice(1).map(Number);
  if (match === null || bits > 30 || [a, b, c, d].some((part) => part > 255)) {
    throw new RangeError(
      `${cidr} is no range of IPv4 addresses for services: write it like 10.0.0.0/16, with at most /30`,
    );
  }
  const size = 2 ** (32 - bits);
  const network = Math.floor((a * 2 ** 24 + b * 2 ** 16 + c * 2 ** 8 + d) / size) * size;
  return { first: network + 1, count: size - 2 };
}

/** Picks a number that is free, at random; undefined when all are taken. */
export function allocate(pool: Pool, isTaken: (value: number) => boolean, random: () => number): number | undefined {
  const start = Math.floor(random() * pool.count);
  for (let step = 0; step < pool.count; step += 1) {
    const value = pool.first + ((start + step) % pool.count);
    if (!isTaken(value)) return value;
  }
  return undefined;
}

/** Whether a number belongs to the pool. */
export function contains({ first, count }: Pool, value: number): boolean {
  return value >= first && value < first + count;
}

/** The number of a dotted IPv4 address; undefined for anything else. */
export function addressToNumber(address: string): number | undefined {
  const parts = address.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) <= 255)) return undefined;
  return parts.reduce((sum, part) => sum * 256 + Number(part), 0);
}

/** The dotted IPv4 address of a number. */
export function numberToAddress(value: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');
}
