/** Names of the volumes that we add to pods. */
export const VolumeName = {
  SharedMemory: 'shared-mem',
  Logs: 'ray-logs',
  Tls: 'ray-tls',
  Token: 'ray-token',
  GcsStorage: 'gcs-storage',
} as const;

/** Where those volumes are mounted. */
export const MountPath = {
  SharedMemory: '/dev/shm',
  Logs: '/tmp/ray',
  Tls: '/etc/ray/tls',
  Token: '/var/run/secrets/ray.io/serviceaccount',
  GcsStorage: '/data/gcs',
} as const;

/** File below the token volume's mount path that holds the Kubernetes token. */
export const TOKEN_FILE = 'token';
