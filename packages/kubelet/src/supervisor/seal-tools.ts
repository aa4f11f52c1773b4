import { runTool } from './run-tool.ts';

/**
 * Makes the tools read-only that run inside of containers for a moment when a command is started there. A process of the container may open
 * the program of another through /proc; as root it could otherwise write to the host's own file.
 */
export async function sealTools(): Promise<void> {
  await runTool('sh', ['-c', SEAL]);
}

const SEAL = `set -e
for name in nsenter setpriv chroot; do
  tool="$(readlink -f "$(command -v "$name")")"
  mount --bind "$tool" "$tool"
  while read -r _ _ _ _ point options _; do
    [ "$point" = "$tool" ] || continue
    case "$options" in r[ow]) flags=;; *) flags=",\${options#r[ow],}";; esac
    mount -o "remount,bind,ro$flags" "$tool"
  done < /proc/self/mountinfo
done`;
