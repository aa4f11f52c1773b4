import type { Mount } from '../sandbox/sandbox.ts';
import { fewCapabilities, lastScript, toolAt } from './enter-container.ts';
import { quote } from './quote.ts';
import { BASE, PRELUDE } from './root-prelude.ts';

export interface RootRequest {
  /** An empty folder that the container's root is built on. */
  readonly root: string;
  readonly hosts: string;
  readonly resolvConf: string;
  /** The container's own `/tmp`. */
  readonly tmp: string;
  readonly shmBytes: number;
  readonly mounts: readonly Mount[];
  /** Files and folders of the host, outside of its system folders, that the container sees read-only: the programs of its image. */
  readonly programs?: readonly string[];
  /** What no container may see, in case that it lies in a folder that is shown. */
  readonly hidden?: readonly string[];
  /** The container's PATH, for login shells. */
  readonly path?: string;
  /** Files to which 0 is written first. */
  readonly joins?: readonly string[];
}

/**
 * A shell script that builds what a container sees; the words of {@link enterWords} follow it. A container sees the host's system folders and
 * the programs of its image, read-only, and nothing else of the host but its volumes: no home, no data directory, no other folder.
 */
export function rootScript(request: RootRequest): string {
  const { root, hosts, resolvConf, tmp, shmBytes, mounts, joins, programs = [], hidden = [], path = '' } = request;
  const conceal = hidden.map((each) => `conceal ${quote(each)}`);
  return [
    ...joinLines(joins),
    `set -e; R=${quote(root)}`,
    PRELUDE,
    BASE,
    ...conceal,
    ...programs.map((each) => `[ ! -e ${quote(each)} ] || reveal ${quote(each)}`),
    ...conceal,
    // A login shell forgets where programs are, and reads this last.
    `printf '%s\\n' ${quote(`PATH=${quote(path)}`)} > "$R/home/ray/.profile"`,
    `mount -t tmpfs -o size=${shmBytes},mode=1777,nosuid,nodev tmpfs "$R/dev/shm"`,
    `mount --bind ${quote(tmp)} "$R/tmp"; own /tmp`,
    ...mounts.toSorted((a, b) => a.target.split('/').length - b.target.split('/').length).map(mountLine),
    // Last: a volume under /etc may have put a new folder in its place.
    ...[
      [hosts, '/etc/hosts'],
      [resolvConf, '/etc/resolv.conf'],
    ].map(([source = '', target = '']) => `staged_f; mount --bind ${quote(source)} "$M"; T=${target}; place`),
    'rmdir "$S"; cd "$R"',
    // On top of the host's root, which nothing without power over this mount namespace gets past, not even with another chroot.
    'mount -c --move . /',
  ].join('\n');
}

/**
 * The end of the script: becomes the container's command, `"$@"`, in the root that was built. In a user namespace of the pod's own (descriptor
 * 3), which owns none of the mounts, or, where there are none, as root with few capabilities.
 */
export function enterLine(mode: 'user' | 'root', workingDir: string): string {
  const last = (dropper: string) => `/bin/sh -c ${quote(lastScript(dropper))} ${quote(workingDir)} "$@"`;
  if (mode === 'root') return `exec setpriv ${fewCapabilities()} -- chroot . ${last('')}`;
  return `exec setpriv --no-new-privs -- nsenter --preserve-credentials --user=/proc/self/fd/3 --root=. --wd=. -- ${last(capabilityDropper())}`;
}

/** Powers in a user namespace that owns nothing are of no use to a container, nor to an attacker; `ptrace` is, to profilers of its own processes. */
export function capabilityDropper(): string {
  return `${toolAt('setpriv')} ${fewCapabilities('sys_ptrace')}`;
}

/** The commands with which a shell puts itself into control groups; one that refuses is no reason to fail. */
export function joinLines(joins: readonly string[] = []): readonly string[] {
  return joins.map((file) => `{ echo 0 > ${quote(file)}; } 2>/dev/null || true`);
}

function mountLine(mount: Mount): string {
  const at = `at ${quote(mount.target)}`;
  if (mount.kind === 'memory') {
    const size = mount.bytes === undefined ? '' : `size=${mount.bytes},`;
    return `${at}; staged_d; mount -t tmpfs -o ${size}nosuid,nodev tmpfs "$M"; place`;
  }
  const readOnly = mount.isReadOnly ? 'read_only "$M"; ' : '';
  const { source, within } = mount;
  if (within !== undefined) {
    const name = quote(`${source}/${within}`);
    return `${at}; open_within ${quote(source)} ${quote(within)} ${name}; if [ -d /proc/self/fd/9 ]; then staged_d; else staged_f; fi; mount -c --bind /proc/self/fd/9 "$M"; exec 9<&-; ${readOnly}place`;
  }
  return `[ -e ${quote(source)} ] || refuse ${quote(`cannot mount ${source}: it does not exist`)}; ${at}; if [ -d ${quote(source)} ]; then staged_d; else staged_f; fi; mount --rbind ${quote(source)} "$M"; ${readOnly}place`;
}
