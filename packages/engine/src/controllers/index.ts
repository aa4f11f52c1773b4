export type { Cluster, Writes } from './cluster.ts';
export { type Controller, type Enqueue, type LookAgain, type StopController, startController } from './controller.ts';
export { type ControllerName, type ControllersOptions, CONTROLLERS, startControllers } from './start-controllers.ts';
