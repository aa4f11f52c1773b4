/** A cluster for tests of controllers and kubelets: an API without sockets, on a clock that the test owns. */

export { SPACE, startTestCluster, type TestCluster } from './test-cluster.ts';
