import { expect } from 'vitest';

/** A rendered object; examples look wherever they like. */
// oxlint-disable-next-line typescript/no-explicit-any -- rendered objects are read freely and asserted on
type Rendered = any;

export interface OperatorView {
  readonly objects: readonly Rendered[];
  readonly find: (kind: string, name?: string) => Rendered;
  /** The operator's container. */
  readonly container: Rendered;
}

interface OperatorExample {
  readonly values: object;
  readonly check: (view: OperatorView) => void;
}

const GATES =
  '--feature-gates=RayClusterStatusConditions=true,RayJobDeletionPolicy=true,RayMultiHostIndexing=true,RayServiceIncrementalUpgrade=true,RayCronJob=false,RayClusterMTLS=false,RayClusterNetworkPolicy=false,RayClusterHistoryServer=false';

/** Values of the operator's chart, keyed by what they are about. */
export const OPERATOR_VALUES: Readonly<Record<string, OperatorExample>> = {
  defaults: {
    values: {},
    check: ({ container, find }) => {
      expect(container.args).toEqual([
        GATES,
        '--enable-leader-election=true',
        '--enable-metrics=true',
        '--log-stdout-encoder=json',
      ]);
      expect(container.command).toEqual(['/manager']);
      expect(container.livenessProbe).toMatchObject({
        httpGet: { path: '/healthz', port: 'probes' },
        initialDelaySeconds: 10,
        periodSeconds: 10,
        timeoutSeconds: 10,
        failureThreshold: 6,
      });
      expect(container.readinessProbe).toMatchObject({ httpGet: { path: '/readyz', port: 'probes' } });
      expect(container.securityContext).toMatchObject({ runAsNonRoot: true, readOnlyRootFilesystem: true });
      expect(find('Deployment').spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } });
      expect(find('Service').spec).toMatchObject({ type: 'ClusterIP', ports: [{ name: 'http', port: 8080 }] });
    },
  },
  names: {
    values: { nameOverride: 'a', fullnameOverride: 'b', componentOverride: 'c' },
    check: ({ find }) => {
      expect(find('Deployment').metadata.name).toBe('b');
      expect(find('Deployment').spec.selector.matchLabels['app.kubernetes.io/name']).toBe('a');
      expect(find('Deployment').metadata.labels['app.kubernetes.io/component']).toBe('c');
    },
  },
  'several replicas': {
    values: { replicas: 3 },
    check: ({ find }) => {
      const { replicas, strategy, selector, template } = find('Deployment').spec;
      expect({ replicas, strategy }).toEqual({
        replicas: 3,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      });
      const [term] = template.spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution;
      expect(term.podAffinityTerm).toEqual({ topologyKey: 'kubernetes.io/hostname', labelSelector: selector });
      expect(find('PodDisruptionBudget').spec).toEqual({ maxUnavailable: 1, selector });
    },
  },
  'several replicas without a disruption budget, with an affinity': {
    values: { replicas: 2, affinity: { nodeAffinity: {} }, manta: { disruptionBudget: false } },
    check: ({ objects, find }) => {
      expect(objects.filter(({ kind }) => kind === 'PodDisruptionBudget')).toEqual([]);
      expect(find('Deployment').spec.template.spec.affinity).toEqual({ nodeAffinity: {} });
    },
  },
  image: {
    values: { image: { repository: 'r/x', tag: 'v9', pullPolicy: 'Always' }, imagePullSecrets: [{ name: 's' }] },
    check: ({ container, find }) => {
      expect(container).toMatchObject({ image: 'r/x:v9', imagePullPolicy: 'Always' });
      expect(find('Deployment').spec.template.spec.imagePullSecrets).toEqual([{ name: 's' }]);
    },
  },
  placement: {
    values: {
      nodeSelector: { disk: 'ssd' },
      tolerations: [{ key: 'x', operator: 'Exists' }],
      priorityClassName: 'system-cluster-critical',
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }],
          },
        },
      },
    },
    check: ({ find }) =>
      expect(find('Deployment').spec.template.spec).toMatchObject({
        nodeSelector: { disk: 'ssd' },
        tolerations: [{ key: 'x', operator: 'Exists' }],
        priorityClassName: 'system-cluster-critical',
        affinity: { nodeAffinity: {} },
      }),
  },
  'labels and annotations': {
    values: { labels: { team: 'a' }, annotations: { note: 'b' } },
    check: ({ find }) => {
      const { metadata, spec } = find('Deployment');
      expect(metadata.labels.team).toBe('a');
      expect(spec.template.metadata).toMatchObject({ labels: { team: 'a' }, annotations: { note: 'b' } });
    },
  },
  'a service account of your own': {
    values: { serviceAccount: { create: false, name: 'mine' } },
    check: ({ find }) => {
      expect(find('ServiceAccount')).toBeUndefined();
      expect(find('Deployment').spec.template.spec.serviceAccountName).toBe('mine');
      expect(find('ClusterRoleBinding').subjects[0].name).toBe('mine');
    },
  },
  'a log file': {
    values: {
      logging: {
        stdoutEncoder: 'console',
        fileEncoder: 'json',
        baseDir: '/var/log',
        fileName: 'operator.log',
        sizeLimit: '1Gi',
      },
    },
    check: ({ container, find }) => {
      expect(container.args).toEqual(
        expect.arrayContaining([
          '--log-stdout-encoder=console',
          '--log-file-path=/var/log/operator.log',
          '--log-file-encoder=json',
        ]),
      );
      expect(container.volumeMounts).toEqual([{ name: 'kuberay-logs', mountPath: '/var/log' }]);
      expect(find('Deployment').spec.template.spec.volumes).toEqual([
        { name: 'kuberay-logs', emptyDir: { sizeLimit: '1Gi' } },
      ]);
    },
  },
  'a batch scheduler by name': {
    values: { batchScheduler: { name: 'volcano' } },
    check: ({ container, find }) => {
      expect(container.args).toContain('--batch-scheduler=volcano');
      expect(JSON.stringify(find('ClusterRole', 'kuberay-operator').rules)).toContain('scheduling.volcano.sh');
    },
  },
  'batch scheduling the old way': {
    values: { batchScheduler: { enabled: true } },
    check: ({ container }) => expect(container.args).toContain('--enable-batch-scheduler'),
  },
  'a configuration file': {
    values: {
      configuration: {
        enabled: true,
        defaultContainerEnvs: [{ name: 'A', value: 'b' }],
        defaultPodLabels: { c: 'd' },
        defaultPodAnnotations: { e: 'f' },
        headSidecarContainers: [{ name: 's', image: 'i' }],
        workerSidecarContainers: [{ name: 't', image: 'i' }],
      },
      watchNamespace: ['team-a', 'team-b'],
      reconcileConcurrency: 4,
      kubeClient: { qps: 50.5, burst: 70 },
      useKubernetesProxy: true,
    },
    check: ({ container, find }) => {
      expect(container.args).toEqual([GATES, '--config', '/etc/kuberay/config.yaml']);
      const text: string = find('ConfigMap').data['config.yaml'];
      for (const part of [
        'kind: Configuration',
        'watchNamespace: team-a,team-b',
        'reconcileConcurrency: 4',
        'qps: 50.5',
        'burst: 70',
        'useKubernetesProxy: true',
        'name: A',
        'c: d',
        'e: f',
        'headSidecarContainers',
        'workerSidecarContainers',
      ])
        expect(text).toContain(part);
    },
  },
  'feature gates': {
    values: {
      featureGates: [
        { name: 'RayCronJob', enabled: true },
        { name: 'KubernetesWAS', enabled: true },
      ],
    },
    check: ({ container, find }) => {
      expect(container.args[0]).toBe('--feature-gates=RayCronJob=true,KubernetesWAS=true');
      expect(JSON.stringify(find('ClusterRole', 'kuberay-operator').rules)).toContain('workloads');
    },
  },
  'metrics off': {
    values: { metrics: { enabled: false } },
    check: ({ container }) => expect(container.args).toContain('--enable-metrics=false'),
  },
  'a service monitor': {
    values: {
      metrics: {
        enabled: true,
        serviceMonitor: {
          enabled: true,
          interval: '15s',
          honorLabels: false,
          additionalLabels: { release: 'p' },
          namespace: 'monitoring',
        },
      },
    },
    check: ({ find }) =>
      expect(find('ServiceMonitor')).toMatchObject({
        metadata: { namespace: 'monitoring', labels: { release: 'p' } },
        spec: { endpoints: [{ targetPort: 'http', path: '/metrics', interval: '15s', honorLabels: false }] },
      }),
  },
  'another program': {
    values: { operatorCommand: '/bin/manta' },
    check: ({ container }) => expect(container.command).toEqual(['/bin/manta']),
  },
  'the proxy of the API server': {
    values: { useKubernetesProxy: false },
    check: ({ container }) => expect(container.args).toContain('--use-kubernetes-proxy=false'),
  },
  'no leader election': {
    values: { leaderElectionEnabled: false },
    check: ({ container, find }) => {
      expect(container.args).toContain('--enable-leader-election=false');
      expect(find('Role', 'kuberay-operator-leader-election')).toBeUndefined();
    },
  },
  'limits of work and requests, as KubeRay sets them': {
    values: { reconcileConcurrency: 1, kubeClient: { qps: 100.0, burst: 200 } },
    check: ({ container }) =>
      expect(container.args).toEqual(expect.arrayContaining(['--reconcile-concurrency=1', '--qps=100', '--burst=200'])),
  },
  'no RBAC': {
    values: { rbacEnable: false },
    check: ({ objects }) => expect(objects.filter(({ kind }) => kind.includes('Role'))).toEqual([]),
  },
  'one namespace': {
    values: { singleNamespaceInstall: true },
    check: ({ container, find }) => {
      expect(container.args).toContain('--watch-namespace=default');
      expect(find('ClusterRole')).toBeUndefined();
      expect(find('Role', 'kuberay-operator').metadata.namespace).toBe('default');
    },
  },
  'several namespaces with a role each': {
    values: { singleNamespaceInstall: true, watchNamespace: ['default', 'kube-system'] },
    check: ({ container, objects }) => {
      expect(container.args).toContain('--watch-namespace=default,kube-system');
      expect(
        objects.filter(({ kind, metadata }) => kind === 'Role' && metadata.name === 'kuberay-operator'),
      ).toHaveLength(2);
    },
  },
  'namespaces whose roles somebody else makes': {
    values: { singleNamespaceInstall: true, crNamespacedRbacEnable: false },
    check: ({ find }) => expect(find('Role', 'kuberay-operator')).toBeUndefined(),
  },
  variables: {
    values: { env: [{ name: 'ENABLE_WEBHOOKS', value: 'true' }] },
    check: ({ container }) => expect(container.env).toEqual([{ name: 'ENABLE_WEBHOOKS', value: 'true' }]),
  },
  'resources, probes and security': {
    values: {
      resources: { limits: { cpu: '2' } },
      livenessProbe: { periodSeconds: 7 },
      readinessProbe: { periodSeconds: 8 },
      podSecurityContext: { fsGroup: 5 },
      securityContext: { runAsUser: 7 },
    },
    check: ({ container, find }) => {
      expect(container).toMatchObject({
        resources: { limits: { cpu: '2' } },
        livenessProbe: { periodSeconds: 7 },
        readinessProbe: { periodSeconds: 8 },
        securityContext: { runAsUser: 7 },
      });
      expect(find('Deployment').spec.template.spec.securityContext).toEqual({ fsGroup: 5 });
    },
  },
  'permissions for options beyond the base': {
    values: { manta: { profiles: ['disruption-budgets'] } },
    check: ({ find }) =>
      expect(JSON.stringify(find('ClusterRole', 'kuberay-operator').rules)).toContain('poddisruptionbudgets'),
  },
  'no writing of roles': {
    values: { manta: { rbacWrites: false } },
    check: ({ find }) => {
      const { rules } = find('ClusterRole', 'kuberay-operator');
      const ofRbac = rules.filter(({ apiGroups }: Rendered) => apiGroups.includes('rbac.authorization.k8s.io'));
      expect(ofRbac.map(({ resources, verbs }: Rendered) => [resources, verbs])).toEqual([
        [['roles'], ['get', 'list', 'watch']],
        [['rolebindings'], ['list', 'watch']],
      ]);
      expect(JSON.stringify(rules)).not.toContain('pods/resize');
    },
  },
  'clusters that are secure by default': {
    values: { manta: { securityProfile: 'secure' }, nameOverride: 'rays' },
    check: ({ container }) => {
      expect(container.args).toContain('--security-profile=secure');
      expect(container.env).toEqual([{ name: 'OPERATOR_APP_NAME', value: 'rays' }]);
    },
  },
  'web console': {
    values: {
      manta: {
        console: {
          enabled: true,
          hosts: ['ray.example.com'],
          args: ['--oidc-issuer=https://id.example.com'],
          secretName: 'console-secrets',
          impersonate: true,
          rayDashboards: { url: 'https://*.ray.example.com', readTokens: true },
        },
      },
    },
    check: ({ find }) => {
      const name = 'kuberay-operator-console';
      const { containers, serviceAccountName, volumes } = find('Deployment', name).spec.template.spec;
      expect(containers[0]).toMatchObject({
        image: find('Deployment', 'kuberay-operator').spec.template.spec.containers[0].image,
        command: ['/web-console'],
        args: [
          '--listen=0.0.0.0:7481',
          '--log-format=json',
          '--host=ray.example.com',
          '--ray-dashboard-url=https://*.ray.example.com',
          '--oidc-issuer=https://id.example.com',
        ],
      });
      expect([serviceAccountName, volumes[0].secret.secretName]).toEqual([name, 'console-secrets']);
      const { rules } = find('ClusterRole', name);
      expect(rules.flatMap(({ verbs }: Rendered) => verbs)).not.toContain('create');
      expect(rules.at(-1).verbs).toEqual(['impersonate']);
      expect(find('Service', name).spec.ports.map(({ port }: Rendered) => port)).toEqual([7481, 7482]);
    },
  },
  'web console with the least rights': {
    values: { manta: { console: { enabled: true, rayDashboards: { enabled: false } } } },
    check: ({ find }) => {
      const { rules } = find('ClusterRole', 'kuberay-operator-console');
      expect(new Set(rules.flatMap(({ verbs }: Rendered) => verbs))).toEqual(new Set(['get', 'list', 'watch']));
      expect(rules.flatMap(({ resources }: Rendered) => resources)).not.toContain('secrets');
    },
  },
  'webhooks with a certificate of the operator': {
    values: { manta: { webhooks: { enabled: true } }, env: [{ name: 'A', value: 'b' }] },
    check: ({ container, find }) => {
      expect(container.env).toEqual([
        { name: 'A', value: 'b' },
        { name: 'ENABLE_WEBHOOKS', value: 'true' },
        { name: 'WEBHOOK_CERT_SECRET', value: 'kuberay-operator-webhook-certs' },
        { name: 'WEBHOOK_CONFIGURATION', value: 'kuberay-operator-webhooks' },
      ]);
      expect(container.volumeMounts).toBeUndefined();
      const { webhooks } = find('ValidatingWebhookConfiguration', 'kuberay-operator-webhooks');
      expect(webhooks.map(({ name, failurePolicy }: Rendered) => [name, failurePolicy])).toEqual([
        ['vraycluster.kb.io', 'Fail'],
        ['vrayjob.kb.io', 'Fail'],
        ['vrayservice.kb.io', 'Fail'],
      ]);
      expect(find('Service', 'kuberay-webhook-service').spec.ports[0]).toMatchObject({ port: 443 });
      expect(find('ClusterRole', 'kuberay-operator-webhook-certificates').rules).toEqual([
        {
          apiGroups: ['admissionregistration.k8s.io'],
          resources: ['validatingwebhookconfigurations'],
          verbs: ['get', 'patch'],
          resourceNames: ['kuberay-operator-webhooks'],
        },
      ]);
    },
  },
  'webhooks with a certificate of cert-manager, failing open': {
    values: { manta: { webhooks: { enabled: true, certificate: 'cert-manager', failurePolicy: 'Ignore' } } },
    check: ({ container, find }) => {
      const hooks = find('ValidatingWebhookConfiguration');
      expect(hooks.metadata.annotations).toEqual({
        'cert-manager.io/inject-ca-from': 'default/kuberay-operator-webhooks',
      });
      expect(hooks.webhooks[0].failurePolicy).toBe('Ignore');
      expect(find('Certificate').spec).toMatchObject({ secretName: 'kuberay-operator-webhook-certs' });
      expect(container.volumeMounts).toEqual([
        { name: 'webhook-certificate', mountPath: '/tmp/k8s-webhook-server/serving-certs', readOnly: true },
      ]);
      expect(find('ClusterRole', 'kuberay-operator-webhook-certificates')).toBeUndefined();
    },
  },
  'webhooks with a certificate of your own': {
    values: { manta: { webhooks: { enabled: true, certificate: 'secret', secretName: 'mine', caBundle: 'Cg==' } } },
    check: ({ find }) => {
      expect(find('ValidatingWebhookConfiguration').webhooks[2].clientConfig.caBundle).toBe('Cg==');
      expect(find('Deployment').spec.template.spec.volumes).toEqual([
        { name: 'webhook-certificate', secret: { secretName: 'mine', optional: true } },
      ]);
    },
  },
  'another service': {
    values: { service: { type: 'NodePort', port: 9000 } },
    check: ({ find }) => expect(find('Service').spec).toMatchObject({ type: 'NodePort', ports: [{ port: 9000 }] }),
  },
};

/** Values that cannot be meant, and what the error has to name. */
export const WRONG_VALUES: Readonly<Record<string, { readonly values: object; readonly says: string }>> = {
  'a concurrency of zero': {
    values: { reconcileConcurrency: 0 },
    says: 'reconcileConcurrency must be a positive whole number, but is 0',
  },
  'a rate that is no number': { values: { kubeClient: { qps: 'many' } }, says: 'kubeClient.qps must be a number' },
  'a burst with a fraction': {
    values: { kubeClient: { burst: 1.5 } },
    says: 'kubeClient.burst must be a whole number',
  },
  'an unknown scheduler': {
    values: { batchScheduler: { name: 'slurm' } },
    says: 'batchScheduler.name must be volcano, yunikorn',
  },
  'namespaces as a text': { values: { watchNamespace: 'a,b' }, says: 'watchNamespace must be a list' },
  'a gate without a verdict': {
    values: { featureGates: [{ name: 'RayCronJob' }] },
    says: 'featureGates: each entry needs a name',
  },
  'a number of replicas that is a text': { values: { replicas: 'three' }, says: 'replicas' },
  'labels that are a list': { values: { labels: ['a'] }, says: 'labels' },
  'a switch that is a text': { values: { metrics: { enabled: 'perhaps' } }, says: 'metrics/enabled' },
  'an unknown log encoder': { values: { logging: { stdoutEncoder: 'xml' } }, says: 'logging/stdoutEncoder' },
  'a port that is none': { values: { service: { port: 70000 } }, says: 'service/port' },
  'a variable without a name': { values: { env: [{ value: 'x' }] }, says: 'env/0' },
  'an unknown failure policy': {
    values: { manta: { webhooks: { failurePolicy: 'Shrug' } } },
    says: 'manta.webhooks.failurePolicy must be Fail or Ignore, but is Shrug',
  },
  'web console for one namespace': {
    values: { singleNamespaceInstall: true, manta: { console: { enabled: true } } },
    says: 'manta.console needs to see the whole cluster',
  },
  'webhooks with a certificate that nobody trusts': {
    values: { manta: { webhooks: { enabled: true, certificate: 'secret' } } },
    says: 'manta.webhooks.caBundle must be given',
  },
  'an unknown security profile': {
    values: { manta: { securityProfile: 'open' } },
    says: 'manta.securityProfile must be secure or empty, but is open',
  },
  'an unknown profile': { values: { manta: { profiles: ['everything'] } }, says: 'there is no profile everything' },
};
