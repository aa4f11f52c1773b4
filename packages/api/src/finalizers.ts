/** Finalizers that the controllers hold on their objects. */
export const Finalizer = {
  GcsFtRedisCleanup: 'ray.io/gcs-ft-redis-cleanup-finalizer',
  RayJob: 'ray.io/rayjob-finalizer',
  RayService: 'ray.io/rayservice-finalizer',
} as const;
