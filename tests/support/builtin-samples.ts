import type { JsonObject } from '../../packages/apiserver/src/object/json.ts';

/** Valid objects of the built-in kinds: the least, and with what is commonly used. */
export const builtinSamples: Readonly<Record<string, readonly JsonObject[]>> = {
  ConfigMap: [{}, { data: { a: 'b', empty: '' }, binaryData: { c: 'aGk=' }, immutable: true }],
  Endpoints: [{}, { subsets: [{ addresses: [{ ip: '10.1.2.3' }], ports: [{ port: 80 }] }] }],
  Event: [
    { involvedObject: { namespace: 'NAMESPACE', kind: 'Pod', name: 'a' }, reason: 'R', message: 'm', type: 'Normal' },
  ],
  'Event.events.k8s.io': [
    {
      eventTime: '2026-01-01T00:00:00.000000Z',
      reportingController: 'example.com/c',
      reportingInstance: 'i',
      action: 'Did',
      reason: 'R',
      type: 'Normal',
      note: 'n',
      regarding: { namespace: 'NAMESPACE', kind: 'Pod', name: 'a' },
    },
  ],
  Namespace: [{}, { metadata: { labels: { a: 'b' } } }],
  Node: [
    {},
    {
      spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] },
      status: { capacity: { cpu: '4', memory: '1Gi', pods: '110' } },
    },
  ],
  PersistentVolume: [
    { spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/tmp' } } },
  ],
  PersistentVolumeClaim: [
    { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
    { spec: { accessModes: ['ReadWriteMany'], storageClassName: '', resources: { requests: { storage: '1500m' } } } },
  ],
  Pod: [
    { spec: { containers: [{ name: 'a', image: 'a' }] } },
    {
      spec: {
        restartPolicy: 'Never',
        hostNetwork: true,
        serviceAccountName: 'x',
        automountServiceAccountToken: false,
        initContainers: [{ name: 'i', image: 'i:v1', command: ['x'], args: [], env: [] }],
        containers: [
          {
            name: 'a',
            image: 'registry:5000/a@sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
            ports: [{ containerPort: 80, name: 'http' }],
            env: [
              { name: 'A', value: '' },
              { name: 'B', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
              { name: 'C', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
              { name: 'D', valueFrom: { secretKeyRef: { name: 's', key: 'k', optional: true } } },
            ],
            envFrom: [{ configMapRef: { name: 'c' } }],
            resources: { limits: { cpu: '0.5', memory: '1Gi', 'nvidia.com/gpu': 1 }, requests: { cpu: '100m' } },
            livenessProbe: { httpGet: { port: 'http' } },
            readinessProbe: { exec: { command: ['true'] }, initialDelaySeconds: 1 },
            startupProbe: { grpc: { port: 1 } },
            lifecycle: { preStop: { exec: { command: ['sh'] } } },
            volumeMounts: [
              { name: 'v', mountPath: '/v' },
              { name: 's', mountPath: '/s', readOnly: true, subPath: 'x' },
            ],
            securityContext: { runAsNonRoot: true, capabilities: { drop: ['ALL'] }, allowPrivilegeEscalation: false },
          },
        ],
        volumes: [
          { name: 'v' },
          { name: 's', secret: { secretName: 's' } },
          { name: 'c', configMap: { name: 'c', items: [{ key: 'k', path: 'p' }] } },
          { name: 'd', downwardAPI: { items: [{ path: 'l', fieldRef: { fieldPath: 'metadata.labels' } }] } },
          { name: 'h', hostPath: { path: '/h' } },
          { name: 'm', emptyDir: { medium: 'Memory', sizeLimit: '1Gi' } },
          { name: 'p', persistentVolumeClaim: { claimName: 'x' } },
          { name: 't', projected: { sources: [{ serviceAccountToken: { path: 't' } }, { configMap: { name: 'c' } }] } },
          {
            name: 'e',
            ephemeral: {
              volumeClaimTemplate: {
                spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
              },
            },
          },
        ],
        tolerations: [{ operator: 'Exists' }],
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] }],
            },
          },
          podAntiAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 1, podAffinityTerm: { topologyKey: 'k', labelSelector: { matchLabels: { a: 'b' } } } },
            ],
          },
        },
        topologySpreadConstraints: [
          { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', labelSelector: {} },
        ],
        securityContext: { fsGroup: 1, runAsUser: 0 },
        dnsConfig: { nameservers: ['1.1.1.1'] },
        hostAliases: [{ ip: '1.2.3.4', hostnames: ['a'] }],
        imagePullSecrets: [{ name: 'r' }],
        terminationGracePeriodSeconds: 0,
      },
    },
    { spec: { containers: [{ name: 'a', image: 'a', resources: { limits: { cpu: 1, memory: 1024 } } }] } },
  ],
  ResourceQuota: [{ spec: { hard: { pods: '10', 'requests.cpu': 1 } } }],
  Secret: [{}, { data: { a: 'aGk=' }, stringData: { b: 'hi' }, type: 'example.com/x' }],
  Service: [
    { spec: { ports: [{ port: 80 }], selector: { a: 'b' } } },
    {
      spec: {
        clusterIP: 'None',
        ports: [
          { port: 80, name: 'a' },
          { port: 81, name: 'b', targetPort: 'x', protocol: 'UDP' },
        ],
      },
    },
    { spec: { type: 'ExternalName', externalName: 'example.com' } },
  ],
  ServiceAccount: [{}, { imagePullSecrets: [{ name: 'a' }], automountServiceAccountToken: false }],
  'Job.batch': [
    { spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'a' }] } } } },
    {
      metadata: { labels: { x: 'y' } },
      spec: {
        backoffLimit: 0,
        ttlSecondsAfterFinished: 0,
        activeDeadlineSeconds: 5,
        suspend: true,
        template: {
          metadata: { labels: { a: 'b' } },
          spec: { restartPolicy: 'OnFailure', containers: [{ name: 'a', image: 'a' }] },
        },
      },
    },
  ],
  'Lease.coordination.k8s.io': [
    {},
    {
      spec: { holderIdentity: 'x', leaseDurationSeconds: 15, renewTime: '2026-01-01T00:00:00.5Z', leaseTransitions: 0 },
    },
  ],
  'EndpointSlice.discovery.k8s.io': [
    {
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.1.2.3'], conditions: { ready: true } }],
      ports: [{ port: 80 }],
    },
  ],
  'Ingress.networking.k8s.io': [
    {
      spec: {
        rules: [
          {
            host: 'a.b',
            http: {
              paths: [{ pathType: 'Prefix', path: '/', backend: { service: { name: 's', port: { number: 80 } } } }],
            },
          },
        ],
      },
    },
    {
      spec: {
        ingressClassName: 'x',
        defaultBackend: { service: { name: 's', port: { name: 'h' } } },
        tls: [{ hosts: ['a.b'], secretName: 's' }],
      },
    },
  ],
  'IngressClass.networking.k8s.io': [{ spec: { controller: 'example.com/x' } }],
  'NetworkPolicy.networking.k8s.io': [
    { spec: { podSelector: {} } },
    {
      spec: {
        podSelector: { matchLabels: { a: 'b' } },
        ingress: [{ from: [{ podSelector: {} }], ports: [{ port: 80 }] }],
        egress: [{ to: [{ ipBlock: { cidr: '10.0.0.0/8' } }] }],
      },
    },
  ],
  'PodDisruptionBudget.policy': [{ spec: { minAvailable: 1, selector: { matchLabels: { a: 'b' } } } }],
  'ClusterRole.rbac.authorization.k8s.io': [{ rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] }],
  'ClusterRoleBinding.rbac.authorization.k8s.io': [
    {
      roleRef: { kind: 'ClusterRole', name: 'a' },
      subjects: [
        { kind: 'User', name: 'u' },
        { kind: 'ServiceAccount', name: 's', namespace: 'n' },
      ],
    },
  ],
  'Role.rbac.authorization.k8s.io': [
    { rules: [{ apiGroups: ['ray.io'], resources: ['rayclusters'], verbs: ['*'] }] },
    {},
  ],
  'RoleBinding.rbac.authorization.k8s.io': [
    {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'a' },
      subjects: [{ kind: 'Group', name: 'g' }],
    },
  ],
  'PriorityClass.scheduling.k8s.io': [{ value: 10 }],
  'StorageClass.storage.k8s.io': [{ provisioner: 'example.com/x' }],
  'ValidatingWebhookConfiguration.admissionregistration.k8s.io': [
    {},
    {
      webhooks: [
        {
          name: 'a.b.c',
          clientConfig: { service: { namespace: 'n', name: 's' } },
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['nothings'] }],
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
        },
      ],
    },
  ],
};
