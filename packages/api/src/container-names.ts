/** Names of the containers that we add. The Ray container is the first one of a template, whatever its name. */
export const ContainerName = {
  Autoscaler: 'autoscaler',
  WaitGcsReady: 'wait-gcs-ready',
  WaitForTlsIpSan: 'wait-for-tls-ip-san',
  Submitter: 'ray-job-submitter',
  Collector: 'ray-history-collector',
} as const;

/** Position of the Ray container in a pod template. */
export const RAY_CONTAINER_INDEX = 0;
