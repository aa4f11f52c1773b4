import { join } from 'node:path';

/** What a control plane is asked to be; every field has a default that suits most tests. */
export interface ControlPlaneOptions {
  /** The folder of the programs; `MANTA_KUBE_ASSETS`, else what `npm run kube:assets` provides, unless told. */
  readonly assets?: string;
  /** RBAC unless told. */
  readonly authorization?: 'RBAC' | 'AlwaysAllow';
  /** Logs who did what; read it through `audit`. */
  readonly audit?: boolean;
  /**
   * Runs Kubernetes' own controllers (garbage collection, Jobs, service accounts, namespaces …), by default all but the one that deletes
   * pods of nodes that don't exist: scripted pods run on such nodes.
   */
  readonly controllerManager?: boolean | { readonly controllers: readonly string[] };
  /** Whether pods get a service account and its token; by default where a controller manager makes the accounts. */
  readonly serviceAccountAdmission?: boolean;
  readonly featureGates?: Readonly<Record<string, boolean>>;
  /** API versions to serve or not, such as `{ 'scheduling.k8s.io/v1alpha2': true }`. */
  readonly runtimeConfig?: Readonly<Record<string, boolean>>;
  /** Users who present a token. */
  readonly tokens?: readonly { readonly token: string; readonly user: string; readonly groups?: readonly string[] }[];
  /** Further flags of kube-apiserver, as on its command line. */
  readonly apiServerFlags?: readonly string[];
}

/** The loopback ports of one control plane. */
export interface PlanePorts {
  readonly etcdClient: number;
  readonly etcdPeer: number;
  readonly apiServer: number;
}

/** The files that the servers are configured by and write to, under one folder. */
export const planeFiles = (folder: string) =>
  ({
    etcdData: join(folder, 'etcd'),
    etcdLog: join(folder, 'etcd.log'),
    apiServerLog: join(folder, 'kube-apiserver.log'),
    controllerManagerLog: join(folder, 'kube-controller-manager.log'),
    caCert: join(folder, 'ca.crt'),
    serverCert: join(folder, 'server.crt'),
    serverKey: join(folder, 'server.key'),
    serviceAccountKey: join(folder, 'service-account.key'),
    serviceAccountPublicKey: join(folder, 'service-account.pub'),
    tokens: join(folder, 'tokens.csv'),
    auditPolicy: join(folder, 'audit-policy.yaml'),
    auditLog: join(folder, 'audit.log'),
    adminKubeconfig: join(folder, 'admin.kubeconfig'),
    controllerManagerKubeconfig: join(folder, 'controller-manager.kubeconfig'),
  }) as const;

/** The files of one control plane. */
export type PlaneFiles = ReturnType<typeof planeFiles>;

const pairs = (record: Readonly<Record<string, boolean>>): string =>
  Object.entries(record)
    .map(([name, value]) => `${name}=${value}`)
    .join(',');

/** Flags for an etcd that may forget everything when the machine dies, and is fast for it. */
export function etcdFlags(files: PlaneFiles, ports: PlanePorts): readonly string[] {
  const client = `http://127.0.0.1:${ports.etcdClient}`;
  const peer = `http://127.0.0.1:${ports.etcdPeer}`;
  return [
    '--name=plane',
    `--data-dir=${files.etcdData}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=plane=${peer}`,
    '--unsafe-no-fsync',
    '--log-level=warn',
    `--quota-backend-bytes=${4 * 1024 ** 3}`,
  ];
}

const auditFlags = (files: PlaneFiles): readonly string[] => [
  `--audit-policy-file=${files.auditPolicy}`,
  `--audit-log-path=${files.auditLog}`,
  // In megabytes: a log that was rotated would miscount.
  '--audit-log-maxsize=100000',
];

function optionalFlags(files: PlaneFiles, options: ControlPlaneOptions): readonly string[] {
  const wantsController = options.controllerManager !== undefined && options.controllerManager !== false;
  const serviceAccounts = options.serviceAccountAdmission ?? wantsController;
  return [
    ...(serviceAccounts ? [] : ['--disable-admission-plugins=ServiceAccount']),
    ...(options.featureGates ? [`--feature-gates=${pairs(options.featureGates)}`] : []),
    ...(options.runtimeConfig ? [`--runtime-config=${pairs(options.runtimeConfig)}`] : []),
    ...(options.tokens ? [`--token-auth-file=${files.tokens}`] : []),
    ...(options.audit ? auditFlags(files) : []),
    ...(options.apiServerFlags ?? []),
  ];
}

/** Flags for a kube-apiserver on loopback. */
export function apiServerFlags(files: PlaneFiles, ports: PlanePorts, options: ControlPlaneOptions): readonly string[] {
  return [
    `--etcd-servers=http://127.0.0.1:${ports.etcdClient}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    `--secure-port=${ports.apiServer}`,
    // A loopback address may not be an endpoint, so the `kubernetes` service stays without any.
    '--endpoint-reconciler-type=none',
    '--service-cluster-ip-range=10.0.0.0/16',
    `--tls-cert-file=${files.serverCert}`,
    `--tls-private-key-file=${files.serverKey}`,
    `--client-ca-file=${files.caCert}`,
    '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
    `--service-account-key-file=${files.serviceAccountPublicKey}`,
    `--service-account-signing-key-file=${files.serviceAccountKey}`,
    `--authorization-mode=${options.authorization ?? 'RBAC'}`,
    '--allow-privileged=true',
    '--profiling=false',
    ...optionalFlags(files, options),
  ];
}

/** Flags for a kube-controller-manager that serves nothing and elects nobody. */
export function controllerManagerFlags(files: PlaneFiles, options: ControlPlaneOptions): readonly string[] {
  const { controllerManager } = options;
  const controllers =
    typeof controllerManager === 'object' ? controllerManager.controllers : ['*', '-pod-garbage-collector-controller'];
  return [
    `--kubeconfig=${files.controllerManagerKubeconfig}`,
    '--leader-elect=false',
    '--secure-port=0',
    '--profiling=false',
    `--service-account-private-key-file=${files.serviceAccountKey}`,
    `--root-ca-file=${files.caCert}`,
    `--controllers=${controllers.join(',')}`,
    '--kube-api-qps=200',
    '--kube-api-burst=400',
  ];
}
