const MIG_DEVICE = /nvidia\.com\/mig-\d+g\.\d+gb$/;

/**
 * Does a container resource count as Ray's `GPU`? Keys that end in `gpu`, and NVIDIA's MIG slices, do.
 * Upper case doesn't match, so keys of Ray's own `resources` are lower-cased first.
 */
export function isGpuResourceKey(key: string): boolean {
  return key.endsWith('gpu') || MIG_DEVICE.test(key);
}
