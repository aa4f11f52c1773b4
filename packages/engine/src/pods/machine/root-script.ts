import type { Mount } from '../sandbox/sandbox.ts';

export interface RootRequest {
  /** An empty folder that the container's root is built on. */
  readonly root: string;
  readonly hosts: string;
  readonly resolvConf: string;
  /** The container's own `/tmp`. */
  readonly tmp: string;
  readonly shmBytes: number;
  readonly mounts: readonly Mount[];
  readonly workingDir: string;
  /** Files to which 0 is written first. */
  readonly joins?: readonly string[];
}

/**
 * A shell script that builds what a container sees and then becomes its command, `"$@"`. The host's folders are all there, so that the
 * installed Ray and the system's programs work; what must be the pod's own is put over them: /proc, /dev/shm, /tmp, /run, host names, volumes.
 */
export function rootScript(request: RootRequest): string {
  const { root, hosts, resolvConf, tmp, shmBytes, mounts, workingDir, joins } = request;
  return [
    ...joinLines(joins),
    `set -e; R=${quote(root)}`,
    PRELUDE,
    `mount -t tmpfs -o size=${shmBytes} tmpfs "$R/dev/shm"`,
    `mount --bind ${quote(tmp)} "$R/tmp"`,
    ...mounts.toSorted((a, b) => a.target.split('/').length - b.target.split('/').length).map(mountLine),
    // Last: a volume under /etc may have put a new folder in its place.
    `over ${quote(hosts)} /etc/hosts; over ${quote(resolvConf)} /etc/resolv.conf`,
    // What was built is the root from here on; nothing of the script is left in the container.
    `cd "$R"; exec chroot "$R" /bin/sh -c 'cd "$0" 2>/dev/null || { echo "the working directory $0 does not exist" >&2; exit 126; }; exec "$@"' ${quote(workingDir)} "$@"`,
  ].join('\n');
}

/** The commands with which a shell puts itself into control groups; one that refuses is no reason to fail. */
export function joinLines(joins: readonly string[] = []): readonly string[] {
  return joins.map((file) => `{ echo 0 > ${quote(file)}; } 2>/dev/null || true`);
}

function mountLine(mount: Mount): string {
  const target = quote(mount.target);
  if (mount.kind === 'memory') {
    const size = mount.bytes === undefined ? '' : `-o size=${mount.bytes} `;
    return `at ${target}; point_d "$T"; fill "$T"; mount -t tmpfs ${size}tmpfs "$R$T"`;
  }
  const source = quote(mount.source);
  // A mount that the user namespace does not own may refuse to become read-only; a volume that can be written is no reason to fail.
  const readOnly = mount.isReadOnly ? `; mount -o remount,bind,ro "$R$T" 2>/dev/null || true` : '';
  const made = mount.isMade === true ? `mkdir -p ${source}; ` : '';
  return `${made}[ -e ${source} ] || { echo "cannot mount ${mount.source.replaceAll(/["`$\\]/g, '?')}: it does not exist" >&2; exit 125; }; at ${target}; if [ -d ${source} ]; then point_d "$T"; fill "$T"; else point_f "$T"; fi; mount --rbind ${source} "$R$T"${readOnly}`;
}

/** One word for a shell, whatever is in it. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/**
 * The new root is a small file system in memory in which the host's top folders are mounted, read-only. Nothing is ever made or removed in a
 * folder of the host: `mirror` turns such a folder into one in memory that shows what was in it, and mount points are made there.
 */
const PRELUDE = `
mount --make-rprivate /
mount -t tmpfs -o mode=755 tmpfs "$R"
ours=' / '
own() { ours="$ours$1 "; }
# All below a volume is the pod's own too, also what is there already: it must not be hidden by what the host has there.
filled=' /tmp '
fill() { filled="$filled$1 "; }
is_ours() {
  case "$ours" in *" $1 "*) return 0;; esac
  above="$1"
  while [ -n "$above" ]; do
    case "$filled" in *" $above "*) return 0;; esac
    above="\${above%/*}"
  done
  return 1
}
# Flags that the outer namespace has locked have to be named again.
read_only() {
  for flags in ro relatime,ro nosuid,nodev,ro nosuid,nodev,relatime,ro nosuid,nodev,noexec,relatime,ro; do
    mount -o "remount,bind,$flags" "$1" 2>/dev/null && return 0
  done
  return 0
}
# A folder may hold other file systems, each with a lock of its own.
read_only_all() {
  read_only "$1"
  while read -r _ _ _ _ at _; do
    case "$at" in "$1"/*) read_only "$(printf '%b' "$at")";; esac
  done < /proc/self/mountinfo
}
show() { mkdir -p "$R$2"; mount --rbind "$1" "$R$2"; }
for name in proc tmp run home mnt .host; do mkdir "$R/$name"; own "/$name"; done
mount --rbind / "$R/.host"; read_only_all "$R/.host"
# Sockets of the host, the machine's own among them, are none of a pod's business.
for name in tmp run; do mount -t tmpfs -o mode=755 tmpfs "$R/.host/$name"; done
# Devices are there by links, so that a pod may have files of its own beside them: its message when it ends, for one.
mkdir "$R/dev" "$R/.dev"; mount --rbind /dev "$R/.dev"
mount -t tmpfs -o mode=755 tmpfs "$R/dev"; own /dev
(set --; for entry in /dev/*; do set -- "$@" "/.dev/\${entry#/dev/}"; done; ln -s "$@" "$R/dev/")
rm -f "$R/dev/shm" "$R/dev/pts" "$R/dev/ptmx"; mkdir "$R/dev/shm" "$R/dev/pts"
[ -d /dev/shm ] && mount -t tmpfs -o mode=755 tmpfs "$R/.dev/shm"
if mount -t devpts -o newinstance,ptmxmode=0666,mode=0620 devpts "$R/dev/pts" 2>/dev/null; then ln -s pts/ptmx "$R/dev/ptmx"
else mount --rbind /dev/pts "$R/dev/pts"; ln -s /.dev/ptmx "$R/dev/ptmx"; fi
for entry in /*; do
  case "$entry" in /proc|/tmp|/run|/home|/mnt|/dev|'/*') continue;; esac
  if [ -L "$entry" ]; then ln -s "$(readlink "$entry")" "$R$entry"
  elif [ -d "$entry" ]; then
    show "$entry" "$entry"
    case "$entry" in /sys) ;; *) read_only_all "$R$entry";; esac
  fi
done
for entry in /home/*; do
  [ -d "$entry" ] || continue
  show "$entry" "$entry"; read_only_all "$R$entry"
done
# A login shell forgets where programs are, and reads this last.
[ -d "$R/home/ray" ] || { mkdir "$R/home/ray"; own /home/ray; printf "PATH='%s'\\n" "$PATH" > "$R/home/ray/.profile"; }
mount -t proc proc "$R/proc"
mount -t tmpfs -o mode=755 tmpfs "$R/run"
[ -d /var/tmp ] && mount -t tmpfs -o mode=1777 tmpfs "$R/var/tmp"
mirror() {
  mount -t tmpfs -o mode=755 tmpfs "$R$1"; own "$1"
  for child in "$R/.host$1"/* "$R/.host$1"/.[!.]*; do
    name="\${child##*/}"
    if [ -L "$child" ]; then cp -P "$child" "$R$1/$name"
    elif [ -d "$child" ]; then mkdir "$R$1/$name"; mount --rbind "$child" "$R$1/$name"
    elif [ -e "$child" ]; then ln -s "/.host$1/$name" "$R$1/$name"
    fi
  done
}
in_ours() {
  holder="\${1%/*}"; [ -n "$holder" ] || holder=/
  point_d "$holder"
  holder="\${1%/*}"; [ -n "$holder" ] || holder=/
  is_ours "$holder" || mirror "$holder"
}
point_d() {
  [ -d "$R$1" ] && return 0
  in_ours "$1"; rm -f "$R$1"; mkdir "$R$1"; own "$1"
}
point_f() {
  [ -f "$R$1" ] && [ ! -L "$R$1" ] && return 0
  in_ours "$1"; rm -f "$R$1"; : > "$R$1"
}
# Sets T to a path without links on the way, as the container will follow them: /var/run is often one.
at() {
  T=; left="\${1#/}"
  while :; do
    part="\${left%%/*}"
    case "$left" in */*) left="\${left#*/}";; *) T="$T/$part"; return 0;; esac
    if [ -z "$part" ] || [ "$part" = . ]; then continue
    elif [ "$part" = .. ]; then T="\${T%/*}"
    elif [ -L "$R$T/$part" ]; then
      link="$(readlink "$R$T/$part")"
      case "$link" in /*) T=;; esac
      left="\${link#/}/$left"
    else T="$T/$part"
    fi
  done
}
over() { point_f "$2"; mount --bind "$1" "$R$2"; }
`;
