import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { installGatewayCrds, ROUTER_RULES } from '@manta/router';
import { stringify } from 'yaml';
import { routerSuite } from '../router/gateway-suite.ts';
import { startControlPlane } from '../support/control-plane.ts';
import { sharedFolder } from '../support/shared-folder.ts';

/** The Gateway API's own definitions, where they are at hand; they know no GatewayClass. */
const OFFICIAL = join(sharedFolder(), 'oracle/data/extra/gateway-api.yaml');
const ROUTER = 'system:serviceaccount:ray-system:manta-router';

/** Its own plane: definitions come, and the server goes. The router may do just what its role says. */
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
    async installGatewayApi(client) {
      if (existsSync(OFFICIAL)) await plane.kubectl(['create', '-f', OFFICIAL]);
      await installGatewayCrds(client);
    },
    stopServer: () => plane.stopApiServer('SIGKILL'),
    stop: () => plane.stop(),
  };
});
