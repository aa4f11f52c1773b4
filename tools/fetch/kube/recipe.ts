import { createHash } from 'node:crypto';
import { etcdVersion, kubernetesReleaseDate, kubernetesVersion, neededGo, type Program } from './programs.ts';

/** How one program is compiled: a main module of our own, and the arguments of `go build` inside it. */
export interface Recipe {
  /** Programs of one module share its folder, and with it the resolved dependency graph. */
  readonly module: 'etcd' | 'kubernetes';
  readonly goMod: string;
  readonly packagePath: string;
  readonly buildFlags: readonly string[];
}

/** The modules that live inside the Kubernetes repository and are published on their own, as v0.<minor>.<patch>. */
export const stagingModules = [
  'api',
  'apiextensions-apiserver',
  'apimachinery',
  'apiserver',
  'cli-runtime',
  'client-go',
  'cloud-provider',
  'cluster-bootstrap',
  'code-generator',
  'component-base',
  'component-helpers',
  'controller-manager',
  'cri-api',
  'cri-client',
  'cri-streaming',
  'csi-translation-lib',
  'dynamic-resource-allocation',
  'endpointslice',
  'externaljwt',
  'kms',
  'kube-aggregator',
  'kube-controller-manager',
  'kube-proxy',
  'kube-scheduler',
  'kubectl',
  'kubelet',
  'metrics',
  'mount-utils',
  'pod-security-admission',
  'sample-apiserver',
  'sample-cli-plugin',
  'sample-controller',
  'streaming',
] as const;

/**
 * The main module for the Kubernetes programs. Kubernetes requires its staging modules at v0.0.0 from folders that its published
 * archive lacks; replacing each by its own published release is what makes the archive buildable.
 */
export function kubernetesGoMod(version: string, go: string): string {
  const [major = '', minor = '', patch = ''] = version.split('.');
  const goMinor = go.split('.').slice(0, 2).join('.');
  const replaces = stagingModules.map((name) => `\tk8s.io/${name} => k8s.io/${name} v0.${minor}.${patch}`);
  return `module manta/kube-assets/kubernetes

go ${go}

godebug default=go${goMinor}

require k8s.io/kubernetes v${major}.${minor}.${patch}

replace (
${replaces.join('\n')}
)
`;
}

/** The main module for etcd: `go install` refuses modules with replace lines, a module that requires it does not. */
export function etcdGoMod(version: string, go: string): string {
  return `module manta/kube-assets/etcd

go ${go}

require go.etcd.io/etcd/server/v3 v${version}
`;
}

/** Linker flags that stamp the version. Without them an API server reports a placeholder, and clients that compare versions go astray. */
export function versionFlags(version: string): string {
  const [major = '', minor = ''] = version.split('.');
  const stamps = {
    gitVersion: `v${version}`,
    gitMajor: major,
    gitMinor: minor,
    gitTreeState: 'clean',
    gitCommit: 'unknown',
    buildDate: kubernetesReleaseDate,
  };
  const packages = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'];
  return packages
    .flatMap((path) => Object.entries(stamps).map(([name, value]) => `-X ${path}.${name}=${value}`))
    .join(' ');
}

/** How a program is built; pure, so that the cache can be keyed by it. */
export function recipeFor(program: Program): Recipe {
  const common = ['-mod=mod', '-trimpath', '-buildvcs=false'];
  if (program === 'etcd') {
    return {
      module: 'etcd',
      goMod: etcdGoMod(etcdVersion, neededGo),
      packagePath: 'go.etcd.io/etcd/server/v3',
      buildFlags: [...common, '-ldflags', '-s -w'],
    };
  }
  return {
    module: 'kubernetes',
    goMod: kubernetesGoMod(kubernetesVersion, neededGo),
    packagePath: `k8s.io/kubernetes/cmd/${program}`,
    buildFlags: [
      ...common,
      '-tags',
      'selinux,notest,grpcnotrace',
      '-ldflags',
      `-s -w ${versionFlags(kubernetesVersion)}`,
    ],
  };
}

/** A short fingerprint of how everything is built: a changed recipe never meets binaries of the old one. */
export function recipeFingerprint(): string {
  const text = JSON.stringify([recipeFor('etcd'), recipeFor('kube-apiserver')]);
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}
