import { provideDefinitions } from '../kube/go-module.ts';

/** The folder with Kueue's published CustomResourceDefinitions. */
export function provideKueueCrds(): Promise<string> {
  return provideDefinitions({
    project: 'Kueue',
    module: 'sigs.k8s.io/kueue@v0.14.0',
    folder: 'config/components/crd/bases',
    variable: 'MANTA_KUEUE_CRDS',
  });
}
