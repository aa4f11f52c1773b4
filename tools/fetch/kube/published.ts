import type { PublishedDefinitions } from './go-module.ts';

/**
 * Whose kinds we write or read, and where their authors publish them. KAI and YuniKorn are not here: we give them labels and annotations
 * of pods, and no objects.
 */
export const PUBLISHED = {
  certManager: {
    project: 'cert-manager',
    module: 'github.com/cert-manager/cert-manager@v1.19.1',
    folder: 'deploy/crds',
    variable: 'MANTA_CERT_MANAGER_CRDS',
  },
  gatewayApi: {
    project: 'Gateway API',
    module: 'sigs.k8s.io/gateway-api@v1.4.1',
    folder: 'config/crd/standard',
    variable: 'MANTA_GATEWAY_API_CRDS',
  },
  kueue: {
    project: 'Kueue',
    module: 'sigs.k8s.io/kueue@v0.15.0',
    folder: 'config/components/crd/bases',
    variable: 'MANTA_KUEUE_CRDS',
  },
  openShiftRoute: {
    project: 'OpenShift routes',
    module: 'github.com/openshift/api@v0.0.0-20250124212313-a770960d61e0',
    folder: 'route/v1/zz_generated.crd-manifests',
    variable: 'MANTA_OPENSHIFT_CRDS',
  },
  prometheus: {
    project: 'Prometheus operator',
    module: 'github.com/prometheus-operator/prometheus-operator@v0.85.0',
    folder: 'example/prometheus-operator-crd',
    variable: 'MANTA_PROMETHEUS_CRDS',
  },
  schedulerPlugins: {
    project: 'scheduler-plugins',
    module: 'sigs.k8s.io/scheduler-plugins@v0.33.5',
    folder: 'config/crd/bases',
    variable: 'MANTA_SCHEDULER_PLUGINS_CRDS',
  },
  volcano: {
    project: 'Volcano',
    module: 'volcano.sh/volcano@v1.14.1',
    folder: 'config/crd/volcano/bases',
    variable: 'MANTA_VOLCANO_CRDS',
  },
} as const satisfies Readonly<Record<string, PublishedDefinitions>>;
