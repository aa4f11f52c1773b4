import type { RayOfVersion } from '@manta/engine';
import { provideRay, type ProvideRayOptions, type RayHome, versionOf } from './provide-ray.ts';

/** Installs a version, or finds it installed. */
export type Provide = (version: string) => Promise<RayHome>;

/** Several versions of Ray side by side, each installed when it is first asked for. One that could not be had is tried anew by who asks next. */
export function createRayVersions(provide: Provide): RayOfVersion {
  const bins = new Map<string, string>();
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

/** The version that a tag names: the Ray that is there where it is of this version, else one of its own. */
export function providerBeside(home: RayHome, options: Omit<ProvideRayOptions, 'version'>): Provide {
  let found: Promise<string | undefined> | undefined;
  return async (version) => {
    found ??= versionOf(home, options.env ?? process.env);
    return (await found) === version ? home : await provideRay({ ...options, version });
  };
}
