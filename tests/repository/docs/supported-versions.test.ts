import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { kubernetesVersion } from '../../../tools/fetch/kube/programs.ts';
import { RELEASES } from '../../integration/recorded-objects.ts';
import { ROOT } from './pages.ts';

const page = readFileSync(join(ROOT, 'docs/production/supported-versions.md'), 'utf8');
const published = readFileSync(join(ROOT, 'tools/fetch/kube/published.ts'), 'utf8');

describe('docs/production/supported-versions.md', () => {
  it('names the versions that the tests run', () => {
    expect(page).toContain(`| Kubernetes API server | ${kubernetesVersion} |`);
    expect(page).toContain(`| kubectl | ${kubernetesVersion} |`);
    expect(page).toContain(`| Objects of KubeRay | ${RELEASES.join(', ')} |`);
  });

  it.each([
    ['Gateway API', 'sigs.k8s.io/gateway-api'],
    ['cert-manager', 'github.com/cert-manager/cert-manager'],
    ['Volcano', 'volcano.sh/volcano'],
    ['scheduler-plugins', 'sigs.k8s.io/scheduler-plugins'],
    ['Kueue', 'sigs.k8s.io/kueue'],
    ['Prometheus operator', 'github.com/prometheus-operator/prometheus-operator'],
  ])('names the version of %s whose CRDs are tested', (name, module) => {
    const version = published.split(`${module}@`)[1]?.split("'")[0];
    expect(page).toContain(`| ${name} | ${version} |`);
  });
});
