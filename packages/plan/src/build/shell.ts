import type { BuildContext } from './context.ts';

/** The shell in which generated commands run; `-l` where the installation wants login shells. */
export function bash({ env }: BuildContext, options = ''): readonly string[] {
  return ['/bin/bash', `-c${options}${env.loginShell ? 'l' : ''}`, '--'];
}
