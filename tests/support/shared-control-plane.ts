import { inject } from 'vitest';
import type { TestProject } from 'vitest/node';
import { startControlPlane } from './control-plane.ts';
import { createPlaneClient, type PlaneAccess, type PlaneClient } from './plane-client.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** How to reach the control plane that all files of the `real` project share. */
    controlPlane: PlaneAccess;
  }
}

/** Vitest's global setup of the `real` project: one control plane for all its files, which keep apart by namespace. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const plane = await startControlPlane({ audit: true });
  project.provide('controlPlane', plane.access);
  return () => plane.stop();
}

let client: PlaneClient | undefined;

/**
 * The control plane that all files of the `real` project share: RBAC and an audit log are on, no controller manager runs. A test that has to
 * stop or pause a server starts a control plane of its own.
 */
export function sharedControlPlane(): PlaneClient {
  client ??= createPlaneClient(inject('controlPlane'));
  return client;
}
