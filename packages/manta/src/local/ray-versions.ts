import type { RayOfVersion } from '@manta/kubelet';
import { provideRay, type ProvideRayOptions, type RayHome, versionOf } from './provide-ray.ts';

/** Installs a version, or finds it installed. */
export type Provide = (version: string) => Promise<RayHome>;

/**
 * Several versions of Ray side by side, each installed when it is first asked for. One that could not be had is tried anew by who asks
 * next. Those in the list are there already.
 */
export function createRayVersions(provide: Provide, there: Readonly<Record<string, string>> = {}): RayOfVersion {
  const bins = new Map(Object.entries(there));
  const underWay = new Map<string, Promise<string>>();
  const install = async (version: string) => {
    try {
      const { bin } = await provide(version);
      bins.set(version, bin);
      return bin;
    } finally {
      underWay.delete(version);
    }
  };
  return (version) => {
    const bin = bins.get(version);
    if (bin !== undefined) return bin;
    const installation = underWay.get(version) ?? install(version);
    underWay.set(version, installation);
    return installation;
  };
}

/** The versions that can be had beside a Ray that is there, which is taken where it is of the wanted one. */
export async function rayVersionsBeside(
  { bin }: RayHome,
  options: Omit<ProvideRayOptions, 'version'>,
): Promise<RayOfVersion> {
  const found = await versionOf({ bin }, options.env ?? process.env);
  const there = found === undefined ? {} : { [found]: bin };
  return createRayVersions((version) => provideRay({ ...options, version }), there);
}
