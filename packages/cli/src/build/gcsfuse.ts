import type { PodTemplateSpec } from '@manta/api';
import type { GcsfuseConfig } from './cluster-config.ts';

const VOLUME = 'cluster-storage';
const DRIVER = 'gcsfuse.csi.storage.gke.io';

/** Mounts the bucket into the first container. GKE adds its sidecar only to pods that carry the annotation `gke-gcsfuse/volumes`. */
export function withGcsfuse(template: PodTemplateSpec, config: GcsfuseConfig): PodTemplateSpec {
  const { spec } = template;
  const [first, ...others] = spec?.containers ?? [];
  if (spec === undefined || first === undefined) return template;
  const volume = { name: VOLUME, csi: { driver: DRIVER, volumeAttributes: attributesOf(config) } };
  const mount = { name: VOLUME, mountPath: config.mountPath };
  return {
    metadata: { annotations: { 'gke-gcsfuse/volumes': 'true', ...resourceAnnotations(config) } },
    spec: { ...spec, volumes: [volume], containers: [{ ...first, volumeMounts: [mount] }, ...others] },
  };
}

function attributesOf(config: GcsfuseConfig): Readonly<Record<string, string>> {
  const { mountOptions, disableMetrics, metadataPrefetchOnMount, skipCsiBucketAccessCheck } = config;
  return {
    bucketName: config.bucketName,
    ...(mountOptions && { mountOptions }),
    ...(disableMetrics !== undefined && { disableMetrics: String(disableMetrics) }),
    ...(metadataPrefetchOnMount !== undefined && { gcsfuseMetadataPrefetchOnMount: String(metadataPrefetchOnMount) }),
    ...(skipCsiBucketAccessCheck !== undefined && { skipCSIBucketAccessCheck: String(skipCsiBucketAccessCheck) }),
  };
}

function resourceAnnotations({ resources = {} }: GcsfuseConfig): Readonly<Record<string, string>> {
  const { cpu, memory, ephemeralStorage } = resources;
  return {
    ...(cpu && { 'gke-gcsfuse/cpu-request': cpu }),
    ...(memory && { 'gke-gcsfuse/memory-limit': memory, 'gke-gcsfuse/memory-request': memory }),
    ...(ephemeralStorage && {
      'gke-gcsfuse/ephemeral-storage-limit': ephemeralStorage,
      'gke-gcsfuse/ephemeral-storage-request': ephemeralStorage,
    }),
  };
}
