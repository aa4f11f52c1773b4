import { describe, expect, it } from 'vitest';
import { etcdGoMod, kubernetesGoMod, recipeFingerprint, recipeFor, stagingModules, versionFlags } from './recipe.ts';

describe('the module that Kubernetes is built from', () => {
  const goMod = kubernetesGoMod('1.36.4', '1.26.0');

  it('requires the release and replaces every staging module by the release of its own that belongs to it', () => {
    expect(goMod).toContain('require k8s.io/kubernetes v1.36.4\n');
    const replaced = [...goMod.matchAll(/^\tk8s\.io\/(\S+) => k8s\.io\/(\S+) v0\.36\.4$/gm)];
    expect(replaced.map(([, from]) => from)).toEqual([...stagingModules]);
    expect(replaced.every(([, from, to]) => from === to)).toBe(true);
    expect(stagingModules).toHaveLength(33);
  });

  it('runs on the Go behaviour that Kubernetes itself was tested with', () => {
    expect(goMod).toContain('\ngo 1.26.0\n');
    expect(goMod).toContain('\ngodebug default=go1.26\n');
  });

  it('has nothing to do with the one etcd is built from, whose dependencies differ', () => {
    expect(etcdGoMod('3.6.4', '1.26.0')).toContain('require go.etcd.io/etcd/server/v3 v3.6.4\n');
    expect(recipeFor('etcd').module).not.toBe(recipeFor('kubectl').module);
    expect(recipeFor('etcd').goMod).not.toContain('k8s.io');
  });
});

describe('version stamps', () => {
  it('name the release in both packages that programs read their version from', () => {
    const flags = versionFlags('1.36.4');
    for (const path of ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version']) {
      expect(flags).toContain(`-X ${path}.gitVersion=v1.36.4`);
      expect(flags).toContain(`-X ${path}.gitMajor=1`);
      expect(flags).toContain(`-X ${path}.gitMinor=36`);
      expect(flags).toContain(`-X ${path}.gitTreeState=clean`);
    }
  });

  it('are on every Kubernetes program', () => {
    for (const program of ['kube-apiserver', 'kube-controller-manager', 'kubectl', 'kubelet'] as const) {
      const { packagePath, buildFlags } = recipeFor(program);
      expect(packagePath).toBe(`k8s.io/kubernetes/cmd/${program}`);
      expect(buildFlags.join(' ')).toContain('gitVersion=v1.36.4');
    }
  });
});

it('recipeFingerprint() is the same every time', () => {
  expect(recipeFingerprint()).toMatch(/^[0-9a-f]{8}$/);
  expect(recipeFingerprint()).toBe(recipeFingerprint());
});
