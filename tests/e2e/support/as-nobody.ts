import { chmodSync, chownSync } from 'node:fs';
import { homedir } from 'node:os';

/** Somebody who owns nothing on this machine. */
const UID = 61_500;

/** Why tests cannot become somebody without rights here; undefined when they can. */
export const whyNotAsNobody = process.getuid?.() === 0 ? undefined : 'only root can become another user';

/**
 * The words before a command that run it as a user without any rights or capabilities, for whom a folder is made. Ray and Python may be
 * installed under root's home, which is closed to others: in a mount namespace of its own that home is an open one with the same content.
 */
export function asNobody(folder: string): readonly string[] {
  chownSync(folder, UID, UID);
  chmodSync(folder, 0o755);
  const script = `set -e
    home="$1"; keep="$2/.home"; shift 2
    mkdir "$keep"; mount --bind "$home" "$keep"; mount -t tmpfs -o mode=755 tmpfs "$home"
    for entry in "$keep"/* "$keep"/.[!.]*; do
      [ -d "$entry" ] || continue
      mkdir "$home/\${entry##*/}"; mount --bind "$entry" "$home/\${entry##*/}"
    done
    umount "$keep"; rmdir "$keep"
    exec setpriv --reuid ${UID} --regid ${UID} --clear-groups --inh-caps=-all --bounding-set=-all --no-new-privs "$@"`;
  return ['unshare', '-m', 'sh', '-c', script, 'sh', homedir(), folder];
}
