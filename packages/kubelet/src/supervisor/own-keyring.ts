import { arch } from 'node:os';
import { isAbsolute } from 'node:path';
import { toolAt } from './enter-container.ts';

/** The number of the system call `keyctl`, by architecture. */
const KEYCTL: Readonly<Partial<Record<string, string>>> = { x64: '250', arm64: '219' };
const PERL = 'syscall(0 + shift, 1, 0); exec @ARGV or exit 127';
const PYTHON =
  'import ctypes, os, sys; ctypes.CDLL(None).syscall(int(sys.argv[1]), 1, None); os.execvp(sys.argv[2], sys.argv[2:])';

/**
 * Words before a command that give it a session keyring of its own: the one of the user who started the engine may hold Kerberos tickets or keys
 * of file systems. No tool that every machine has can do that, so it is asked of Perl or Python; without either the keyring is shared.
 */
export function ownKeyring(): readonly string[] {
  const number = KEYCTL[arch()];
  if (number === undefined) return [];
  const perl = toolAt('perl');
  if (isAbsolute(perl)) return [perl, '-e', PERL, number];
  const python = toolAt('python3');
  return isAbsolute(python) ? [python, '-c', PYTHON, number] : [];
}
