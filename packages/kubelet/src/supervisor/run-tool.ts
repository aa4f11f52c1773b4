import { execFile } from 'node:child_process';
import { toolPath } from './enter-container.ts';

/** Runs a small program to its end; rejects with what it said when it fails. */
export function runTool(command: string, args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile(command, [...args], { env: { PATH: toolPath() } }, (error, _, said) => {
      if (error === null) resolve();
      else reject(new Error(`${command} ${args.join(' ')}: ${said.trim() || error.message}`, { cause: error }));
    });
  });
}
