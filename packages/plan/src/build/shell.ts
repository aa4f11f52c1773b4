import type { BuildContext } from './context.ts';

/** The shell of generated commands; with `-l` if the installation wants login shells. */
export function bash({ env }: BuildContext, options = ''): readonly string[] {
  return ['/bin/bash', `-c${options}${env.loginShell ? 'l' : ''}`, '--'];
}
