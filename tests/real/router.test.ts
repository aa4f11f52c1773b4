import { ROUTER_RULES } from '@manta/router';
import { stringify } from 'yaml';
import { PUBLISHED } from '../../tools/fetch/kube/published.ts';
import { routerSuite } from '../router/gateway-suite.ts';
import { startControlPlane } from '../support/control-plane.ts';
import { installPublished } from '../support/published-crds.ts';

const KINDS = ['gatewayclasses', 'gateways', 'httproutes', 'referencegrants'];
const ROUTER = 'system:serviceaccount:ray-system:manta-router';

/** Its own plane: the Gateway API's own definitions come, and the server goes. The router may do just what its role says. */
routerSuite(async () => {
  const plane = await startControlPlane();
  const role = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'r' },
    rules: ROUTER_RULES,
  };
  const binding = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'r' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'r' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: ROUTER }],
  };
  await plane.apply(`${stringify(role, { aliasDuplicateObjects: false })}---\n${stringify(binding)}`);
  return {
    kubeconfig: plane.admin.kubeconfig.path,
    routerKubeconfig: plane.user({ name: ROUTER }).kubeconfig.path,
    installGatewayApi: async () => {
      const files = KINDS.map((plural) => `gateway.networking.k8s.io_${plural}.yaml`);
      await installPublished(plane, PUBLISHED.gatewayApi, files);
    },
    stopServer: () => plane.stopApiServer('SIGKILL'),
    stop: () => plane.stop(),
  };
});
