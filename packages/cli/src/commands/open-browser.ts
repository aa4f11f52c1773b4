import { spawn } from 'node:child_process';
import { usageError } from '../cli-error.ts';
import type { Invocation } from '../invocation.ts';
import { labelOf, resolveTarget } from '../resolve-target.ts';
import { DASHBOARD, SERVE, session, type SessionFlags } from './session.ts';

export interface OpenFlags extends SessionFlags {
  readonly serve?: boolean;
}

/** `open (NAME | TYPE/NAME)`: forwards ports like `session`, and opens the Ray dashboard, or Ray Serve, in the browser. */
export async function openBrowser(call: Invocation, text: string, flags: OpenFlags): Promise<void> {
  const namespace = await call.namespace();
  const kinds = ['raycluster', 'rayjob', 'rayservice'] as const;
  const target = await resolveTarget(await call.client(), namespace, text, kinds);
  if (flags.serve === true && target.kind !== 'rayservice')
    throw usageError(`--serve needs a RayService, and ${labelOf(target)} is none.`);
  await session(call, labelOf(target), flags, (urls) => {
    const url = urls[flags.serve === true ? SERVE.label : DASHBOARD.label];
    if (url !== undefined) start(call, url);
  });
}

/** Starts the program that BROWSER names, else that of the system. It outlives this one. */
function start(call: Invocation, url: string): void {
  const [command, ...args] = browserCommand(call.world.env['BROWSER'], process.platform);
  const failed = () => call.say(`No browser could be started. Open ${url} yourself.`);
  if (command === undefined) return failed();
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
  child.on('error', failed);
  child.unref();
}

export function browserCommand(browser: string | undefined, platform: NodeJS.Platform): readonly string[] {
  if (browser !== undefined && browser !== '') return [browser];
  if (platform === 'darwin') return ['open'];
  return platform === 'win32' ? ['cmd', '/c', 'start', ''] : ['xdg-open'];
}
