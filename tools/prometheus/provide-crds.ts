import { provideDefinitions } from '../kube/go-module.ts';

/** The folder with the published CustomResourceDefinitions of the Prometheus operator. */
export function providePrometheusCrds(): Promise<string> {
  return provideDefinitions({
    project: 'Prometheus operator',
    module: 'github.com/prometheus-operator/prometheus-operator@v0.85.0',
    folder: 'example/prometheus-operator-crd',
    variable: 'MANTA_PROMETHEUS_CRDS',
  });
}
