import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium } from 'playwright-core';

const PROGRAM = '/usr/bin/chromium';

/** Debian's Chromium with a profile of its own. Installs it where it is missing and this process may. */
export async function startChromium(
  colorScheme: 'light' | 'dark' = 'light',
): Promise<{ readonly context: BrowserContext; close(): Promise<void> }> {
  if (!existsSync(PROGRAM)) installChromium();
  const profile = mkdtempSync(join(tmpdir(), 'manta-chromium-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: PROGRAM,
    colorScheme,
    viewport: { width: 1280, height: 860 },
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  return {
    context,
    close: async () => {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

function installChromium(): void {
  const options = { stdio: 'inherit', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } } as const;
  spawnSync('apt-get', ['update', '-qq'], options);
  const { status } = spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'], options);
  if (status !== 0) throw new Error('the tests of the console need Chromium: run `apt-get install chromium` as root');
}
