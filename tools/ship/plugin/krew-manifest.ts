import { stringify } from 'yaml';
import type { Target } from './targets.ts';

export interface PluginArchive {
  readonly target: Target;
  readonly file: string;
  readonly sha256: string;
}

/** The manifest from which krew installs the plugin. Archives are expected below `baseUrl`. */
export function krewManifest(version: string, archives: readonly PluginArchive[], baseUrl: string): string {
  return stringify({
    apiVersion: 'krew.googlecontainertools.github.com/v1alpha2',
    kind: 'Plugin',
    metadata: { name: 'ray' },
    spec: {
      version: `v${version}`,
      homepage: 'https://www.ray.io',
      shortDescription: 'Run, inspect and explain Ray on Kubernetes',
      description:
        'Creates, scales and watches RayClusters, RayJobs, RayServices and RayCronJobs, runs local\n' +
        'directories as jobs, follows logs, and explains why something does not run.\n' +
        'Needs a kubeconfig; no kubectl, no Python, no local Ray.\n',
      caveats: 'Run `kubectl ray completion install` for completion in the shell.\n',
      platforms: archives.map(({ target, file, sha256 }) => ({
        selector: { matchLabels: { os: target.os, arch: target.arch } },
        uri: `${baseUrl.replace(/\/+$/, '')}/${file}`,
        sha256,
        bin: executableName(target),
      })),
    },
  });
}

/** What the plugin is called on a target. */
export const executableName = ({ os }: Target): string => (os === 'windows' ? 'kubectl-ray.exe' : 'kubectl-ray');
