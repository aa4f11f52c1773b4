import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { quote } from './quote.ts';

/**
 * What a container's first process keeps of root's powers. In a user namespace of its own they reach nothing outside the pod; as real root
 * this is the whole set. Left out, next to everything that administers a machine: devices (mknod) and raw sockets.
 */
const CAPABILITIES = [
  'chown',
  'dac_override',
  'fowner',
  'fsetid',
  'kill',
  'setgid',
  'setuid',
  'setpcap',
  'net_bind_service',
  'sys_chroot',
];

/** `setpriv`'s words for a process with few capabilities, which no later program can add to. */
export function fewCapabilities(...more: readonly string[]): string {
  const kept = [...CAPABILITIES, ...more].map((each) => `+${each}`).join(',');
  return `--no-new-privs --inh-caps=-all --bounding-set=-all,${kept}`;
}

/** Where the programs are that build a container: never taken from the container's own variables, which its author chose. */
export function toolPath(path = process.env['PATH'] ?? ''): string {
  const known = path.split(':').filter((folder) => folder.startsWith('/'));
  return [...new Set([...known, '/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'])].join(
    ':',
  );
}

/** The path of a tool, as both the supervisor and containers see it; the bare name where it is not found. */
export function toolAt(name: string, path = toolPath()): string {
  const found = path.split(':').map((folder) => join(folder, name));
  return found.find(isProgram) ?? name;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Names that a shell can export. Those that some shells give a meaning or a fixed value are not among them. */
const PLAIN_NAME = /^(?!(?:UID|EUID|PPID|SHELLOPTS|BASHOPTS|OPTIND|__manta_\w*)$)[A-Za-z_]\w*$/;

/**
 * A container's variables on their way through the tools that build it. They travel under names that mean nothing to a tool or to the dynamic
 * loader: `PATH` or `LD_PRELOAD` of a container would otherwise run programs of its author's choice before the container is closed. Never in
 * arguments: every user of the machine can read those.
 */
export function wrapVariables(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const all = Object.entries(env).map(([name, value]) => [name, `${name}=${value}`] as const);
  const plain = all.filter(([name]) => PLAIN_NAME.test(name));
  const odd = all.filter(([name]) => !PLAIN_NAME.test(name));
  return {
    PATH: toolPath(),
    ...Object.fromEntries(plain.map(([, text], index) => [`__manta_env_${index}`, text])),
    ...Object.fromEntries(odd.map(([, text], index) => [`__manta_odd_${index}`, text])),
    __manta_envs: String(plain.length),
    __manta_odds: String(odd.length),
  };
}

/**
 * A script for the container's own shell, already inside and without powers outside: it unwraps the variables, goes to the working directory,
 * `$0`, and becomes the command, `"$@"`. `dropper` are words that drop what is left of the capabilities.
 */
export function lastScript(dropper: string): string {
  return `exec 3<&-
[ "$__manta_odds" -eq 0 ] || set -- env -- "$@"
__manta_i=0
while [ "$__manta_i" -lt "$__manta_odds" ]; do
  eval "__manta_v=\\$__manta_odd_$__manta_i"; unset "__manta_odd_$__manta_i"; shift 2
  set -- env -- "$__manta_v" "$@"; __manta_i=$((__manta_i + 1))
done
__manta_i=0
while [ "$__manta_i" -lt "$__manta_envs" ]; do
  eval "__manta_v=\\$__manta_env_$__manta_i"; unset "__manta_env_$__manta_i"
  case "$__manta_v" in PATH=*) __manta_path="$__manta_v";; *) export "$__manta_v";; esac
  __manta_i=$((__manta_i + 1))
done
cd "$0" 2>/dev/null || { echo "the working directory $0 does not exist" >&2; exit 126; }
unset PATH OLDPWD __manta_envs __manta_odds; [ -z "$__manta_path" ] || export "$__manta_path"
${dropper === '' ? 'exec "$@"' : `[ -x ${quote(firstWord(dropper))} ] || exec "$@"\nexec ${dropper} -- "$@"`}`;
}

function firstWord(words: string): string {
  return words.split(' ')[0] ?? '';
}
