import { startControlPlane } from './control-plane.ts';

// A process that owns a control plane and waits to be killed: what it leaves behind is what a killed test run leaves behind.
const plane = await startControlPlane({ controllerManager: true });
plane.pauseEtcd();
process.stdout.write(`${JSON.stringify({ pids: plane.pids(), folder: plane.access.folder })}\n`);
