import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';

/** Says why a pod may not reach a host, or undefined if it may. */
export interface AddressPolicy {
  /** For a name that is not resolved: names that mean this machine wherever they are resolved. */
  whyNotName(name: string): string | undefined;
  /** For an address, after resolution. */
  whyNotAddress(address: string): string | undefined;
}

export interface AddressPolicyOptions {
  /** CIDR ranges of the engine's own networks: pods and Services. */
  readonly engineRanges: readonly string[];
  /** Addresses and CIDR ranges that are allowed whatever else holds, because the user said so. */
  readonly allowed?: readonly string[];
  /** The addresses of this machine, read at every decision because networks come and go. */
  readonly ownAddresses?: () => readonly string[];
}

const LOOPBACK = 'a loopback address of the machine';
/** Ranges that lead to this machine, to its neighbours' management services, or to no single host. */
const RANGES: readonly (readonly [cidr: string, what: string])[] = [
  ['127.0.0.0/8', LOOPBACK],
  ['::1/128', LOOPBACK],
  ['0.0.0.0/8', 'an unspecified address, which means the machine itself'],
  ['::/128', 'an unspecified address, which means the machine itself'],
  ['169.254.0.0/16', 'a link-local address, where cloud providers serve credentials'],
  ['fe80::/10', 'a link-local address'],
  ['fd00:ec2::/32', 'the metadata service of a cloud provider'],
  ['100.100.100.200/32', 'the metadata service of a cloud provider'],
  ['168.63.129.16/32', 'the metadata service of a cloud provider'],
  ['224.0.0.0/4', 'a multicast address'],
  ['ff00::/8', 'a multicast address'],
  ['255.255.255.255/32', 'the broadcast address'],
];
const LOCAL_NAMES = /^(localhost|.*\.localhost|localhost\d?\.localdomain\d?|ip6-localhost|ip6-loopback)$/;

/** The rules for what pods reach through the engine's egress proxy. */
export function createAddressPolicy(options: AddressPolicyOptions): AddressPolicy {
  const own = options.ownAddresses ?? machineAddresses;
  const ranges = [...RANGES, ...options.engineRanges.map((cidr) => [cidr, "an address of the engine's own network"])];
  const refused = ranges.map(([cidr = '', what = '']) => ({ list: listOf([cidr]), what }));
  const allowed = listOf(options.allowed ?? []);
  return {
    whyNotName(name) {
      const plain = name.toLowerCase().replace(/\.$/, '');
      return LOCAL_NAMES.test(plain) || plain === hostname().toLowerCase() ? 'a name of the machine itself' : undefined;
    },
    whyNotAddress(address) {
      const forms = formsOf(address);
      if (forms.length === 0) return 'not an IP address';
      if (forms.some((form) => contains(allowed, form))) return undefined;
      const ownForms = new Set(own().flatMap(formsOf));
      if (forms.some((form) => ownForms.has(form))) return 'an address of the machine itself';
      return refused.find(({ list }) => forms.some((form) => contains(list, form)))?.what;
    },
  };
}

/** The address itself, canonical and without a zone, and the IPv4 address that an IPv6 address carries, which some systems connect to. */
function formsOf(address: string): readonly string[] {
  const [bare = ''] = address.split('%');
  if (isIPv4(bare)) return [bare];
  if (!isIPv6(bare)) return [];
  const canonical = new URL(`http://[${bare}]`).hostname.slice(1, -1);
  const carried = carriedIpv4(groupsOf(canonical));
  return carried === undefined ? [canonical] : [canonical, carried];
}

function groupsOf(canonical: string): readonly number[] {
  const [head = '', tail] = canonical.split('::');
  const numbers = (text: string) => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)));
  const [front, back] = [numbers(head), numbers(tail ?? '')];
  return tail === undefined ? front : [...front, ...Array<number>(8 - front.length - back.length).fill(0), ...back];
}

/** IPv4-mapped, IPv4-compatible, IPv4-translated, NAT64 (well-known and local) and 6to4 addresses. */
function carriedIpv4(groups: readonly number[]): string | undefined {
  const prefix = groups.slice(0, 6).map((group) => group.toString(16));
  const [first, second] = prefix;
  if (first === '2002') return dotted(groups[1], groups[2]);
  const isInLastGroups =
    first === '64' && second === 'ff9b'
      ? true
      : ['0:0:0:0:0:ffff', '0:0:0:0:ffff:0', '0:0:0:0:0:0'].includes(prefix.join(':'));
  return isInLastGroups ? dotted(groups[6], groups[7]) : undefined;
}

function dotted(high = 0, low = 0): string {
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
}

function listOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', prefix] = range.split('/');
    const family = isIPv4(address) ? 'ipv4' : 'ipv6';
    list.addSubnet(address, Number(prefix ?? (family === 'ipv4' ? 32 : 128)), family);
  }
  return list;
}

function contains(list: BlockList, address: string): boolean {
  return list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
}

function machineAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address));
}
