/**
 * Shell functions and the first steps of a container's root: a small file system in memory, in which chosen folders of the host are mounted
 * read-only. Nothing is ever made or removed in a folder of the host. All programs run from the host's root until the very last step, so that
 * no volume can put a program of its own in their place.
 *
 * Paths in `R` are the container's. `shown` lists folders of the host, `own` those that the container has to itself; of the folders above a
 * path, the nearest listed one decides.
 */
export const PRELUDE = `
umask 022
# Nothing is noted in the host's table of mounts.
mount() { command mount -n "$@"; }
mount --make-rprivate /
mount -t tmpfs -o mode=755 tmpfs "$R"
R="$(cd -P "$R" && /bin/pwd -P)"
NL='
'
shown="$NL"; owned="$NL/$NL"
show() { shown="$shown$1$NL"; }
own() { owned="$owned$1$NL"; }
is_ours() {
  near="$1"
  while [ -n "$near" ]; do
    case "$owned" in *"$NL$near$NL"*) return 0;; esac
    case "$shown" in *"$NL$near$NL"*) return 1;; esac
    near="\${near%/*}"
  done
  return 0
}
refuse() { echo "$1" >&2; exit 125; }
# Makes a mount and all mounts in it read-only. Flags that an outer namespace has locked have to be named again. Fails rather than leave one open.
read_only() {
  while read -r _ _ _ _ point options _; do
    case "$point" in *\\\\*) point="$(printf '%b' "$point")";; esac
    case "$point" in "$1"|"$1"/*) ;; *) continue;; esac
    case "$options" in r[ow]) flags=;; *) flags=",\${options#r[ow],}";; esac
    mount -o "remount,bind,ro$flags" "$point"
  done < /proc/self/mountinfo
}
# Shows something of the host where it is there too.
reveal() {
  if [ -L "$R$1" ] || { [ -e "$R$1" ] && ! is_ours "$1"; }; then return 0; fi
  mkdir -p "$R\${1%/*}"
  if [ -d "$1" ]; then mkdir -p "$R$1"; else : > "$R$1"; fi
  mount --rbind "$1" "$R$1"; read_only "$R$1"; show "$1"
}
# Covers something that must not be seen, in case that it lies in a folder that is shown.
conceal() {
  if is_ours "$1" || [ ! -e "$R$1" ]; then return 0; fi
  if [ -d "$R$1" ]; then mount -t tmpfs -o mode=755 tmpfs "$R$1"; own "$1"; else mount --bind /dev/null "$R$1"; fi
}
# Goes into a folder of the new root. Pods write to volumes meanwhile: where a link has led elsewhere, nothing is done there.
enter() {
  cd "$R$1" 2>/dev/null && [ "$(readlink /proc/self/cwd)" = "$R$1" ] || refuse "cannot mount in \${1:-/}: no such folder, or a symbolic link on the way to it"
}
# Turns a folder of the host into one in memory with the same content, in which mount points can be made.
mirror() {
  mkdir -p "$R/.image$1"
  mount --rbind "$R$1" "$R/.image$1"
  mount -t tmpfs -o mode=755 tmpfs "$R$1"; own "$1"
  for child in "$R/.image$1"/* "$R/.image$1"/.[!.]*; do
    name="\${child##*/}"
    if [ -L "$child" ]; then cp -P "$child" "$R$1/$name"
    elif [ -d "$child" ]; then mkdir "$R$1/$name"; mount --rbind "$child" "$R$1/$name"; show "$1/$name"
    elif [ -e "$child" ]; then ln -s "/.image$1/$name" "$R$1/$name"
    fi
  done
}
# Goes into the folder that holds a path, made where it is missing, so that a mount point can be made in it.
enter_holder() {
  point_d "\${1%/*}"
  is_ours "\${1%/*}" || mirror "\${1%/*}"
  enter "\${1%/*}"
}
point_d() {
  if [ -z "$1" ] || { [ -d "$R$1" ] && [ ! -L "$R$1" ]; }; then return 0; fi
  enter_holder "$1"; rm -f "./\${1##*/}"; mkdir "./\${1##*/}"
}
point_f() {
  if [ -f "$R$1" ] && [ ! -L "$R$1" ]; then return 0; fi
  enter_holder "$1"; rm -f "./\${1##*/}"; : > "./\${1##*/}"
}
# Sets T to a path without links, as the container will follow them: /var/run is often one.
at() {
  T=; left="\${1#/}"; links=0
  while [ -n "$left" ]; do
    part="\${left%%/*}"
    case "$left" in */*) left="\${left#*/}";; *) left=;; esac
    case "$part" in ''|.) continue;; ..) T="\${T%/*}"; continue;; esac
    if [ -L "$R$T/$part" ] && [ "$links" -lt 40 ]; then
      links=$((links + 1)); link="$(readlink "$R$T/$part")"
      case "$link" in /*) T=;; esac
      left="\${link#/}/$left"
    else T="$T/$part"
    fi
  done
  [ -n "$T" ] || refuse "cannot mount at $1: that is the root of the container"
}
# Mounts are made in a private folder first, where no other container of the pod can interfere, and moved to their place when they are as they must be.
S="$R/.stage"; mkdir "$S"
staged_d() { mkdir "$S/d"; M="$S/d"; }
staged_f() { : > "$S/f"; M="$S/f"; }
place() {
  if [ -d "$M" ]; then point_d "$T"; own "$T"; else point_f "$T"; fi
  enter "\${T%/*}"; mount -c --move "$M" "./\${T##*/}"; cd /
  rm -rf "$S/d" "$S/f"
}
# Opens something inside a volume as descriptor 9, name by name: a missing folder is made, and a link is never followed, however fast it comes.
open_within() {
  cd "$1"; inside="$2"; now="$1"
  while :; do
    part="\${inside%%/*}"; now="$now/$part"
    [ -e "./$part" ] || [ -L "./$part" ] || mkdir "./$part" 2>/dev/null || true
    case "$inside" in */*) inside="\${inside#*/}";; *) break;; esac
    cd "./$part" 2>/dev/null && [ "$(readlink /proc/self/cwd)" = "$now" ] || refuse "cannot mount $3: it leads out of its volume through a symbolic link"
  done
  # Only a folder or a file is opened: anything else may never answer.
  [ -d "./$part" ] || [ -f "./$part" ] || refuse "cannot mount $3: it is neither a file nor a folder of its volume"
  exec 9< "./$part"
  [ "$(readlink /proc/self/fd/9)" = "$now" ] || refuse "cannot mount $3: it leads out of its volume through a symbolic link"
  cd /
}
`;

/** Files and folders of the host's /etc that programs need and that hold no secrets; those of folders are mounted, others copied. */
const ETC_COPIED =
  'passwd group nsswitch.conf host.conf gai.conf protocols services localtime timezone os-release lsb-release debian_version alternatives profile profile.d bash.bashrc bashrc inputrc shells login.defs ld.so.cache ld.so.conf ld.so.conf.d locale.conf locale.alias mime.types magic terminfo pip.conf static ssl/openssl.cnf ssl/cert.pem pki/tls/openssl.cnf pki/tls/cert.pem';
const ETC_SHOWN = 'ssl/certs ca-certificates pki/ca-trust pki/tls/certs fonts';
/** What the kernel has to say that a container need not know, as container runtimes hide it. */
const MASKED =
  '/proc/acpi /proc/asound /proc/dynamic_debug /proc/kcore /proc/keys /proc/key-users /proc/kmsg /proc/latency_stats /proc/mtrr /proc/sched_debug /proc/scsi /proc/timer_list /proc/timer_stats /sys/firmware /sys/devices/virtual/powercap /sys/kernel/debug /sys/kernel/security /sys/kernel/tracing';
const READ_ONLY = '/proc/bus /proc/fs /proc/irq /proc/pressure /proc/sys /proc/sysrq-trigger';
/** Devices without a state of their own, and accelerators. */
const DEVICES = 'null zero full random urandom tty';
const ACCELERATORS = '/dev/nvidia* /dev/kfd /dev/dri /dev/accel* /dev/dxg /dev/neuron[0-9]*';

/** The part of a root that is the same for every container: what is shown of the host, /proc, /sys and devices. */
export const BASE = `
for name in dev etc home home/ray media mnt opt proc root run srv sys tmp var var/cache var/lib var/log var/tmp; do mkdir "$R/$name"; done
chmod 1777 "$R/var/tmp"; chmod 700 "$R/root"; ln -s ../run "$R/var/run"; ln -s ../run/lock "$R/var/lock"; mkdir "$R/run/lock"
for path in /usr /bin /sbin /lib /lib?* /nix/store /gnu/store; do
  if [ -L "$path" ]; then ln -s "$(readlink "$path")" "$R$path"
  elif [ -d "$path" ]; then reveal "$path"
  fi
done
(cd /etc; set --; for name in ${ETC_COPIED} python3*; do [ ! -e "$name" ] || set -- "$@" "$name"; done; cp -RP --parents "$@" "$R/etc/" 2>/dev/null || true)
for name in ${ETC_SHOWN}; do [ ! -d "/etc/$name" ] || reveal "/etc/$name"; done
hostname > "$R/etc/hostname"
mount -t proc -o nosuid,nodev,noexec proc "$R/proc"
if mount -t sysfs -o ro,nosuid,nodev,noexec sysfs "$R/sys" 2>/dev/null; then
  if [ -d "$R/sys/fs/cgroup" ] && [ -d /sys/fs/cgroup ]; then mount --rbind /sys/fs/cgroup "$R/sys/fs/cgroup"; read_only "$R/sys/fs/cgroup"; fi
else mount --rbind /sys "$R/sys"; read_only "$R/sys"
fi
for path in ${MASKED}; do
  if [ -d "$R$path" ]; then mount -t tmpfs -o ro,size=4k,mode=555 tmpfs "$R$path"
  elif [ -e "$R$path" ]; then mount --bind /dev/null "$R$path"
  fi
done
for path in ${READ_ONLY}; do
  [ ! -e "$R$path" ] || { mount --bind "$R$path" "$R$path"; mount -o remount,bind,ro,nosuid,nodev,noexec "$R$path"; }
done
for name in ${DEVICES}; do : > "$R/dev/$name"; mount --bind "/dev/$name" "$R/dev/$name"; done
for path in ${ACCELERATORS}; do
  [ -e "$path" ] || continue
  if [ -d "$path" ]; then mkdir "$R$path"; else : > "$R$path"; fi
  mount --rbind "$path" "$R$path"
done
ln -s /proc/self/fd "$R/dev/fd"; for name in 0:stdin 1:stdout 2:stderr; do ln -s "/proc/self/fd/\${name%%:*}" "$R/dev/\${name#*:}"; done
mkdir "$R/dev/shm" "$R/dev/pts"
# Never the host's terminals: without any of its own a container has none.
if mount -t devpts -o newinstance,ptmxmode=0666,mode=0620 devpts "$R/dev/pts" 2>/dev/null; then ln -s pts/ptmx "$R/dev/ptmx"; fi
`;
