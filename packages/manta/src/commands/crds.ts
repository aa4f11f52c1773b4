import { crds } from '@manta/api/crds';
import { createKubeClient, createTransport, loadConnection, systemClock } from '@manta/kube';
import type { Command } from 'commander';
import { stringify } from 'yaml';
import { installCrds } from './install-crds.ts';

/** Tells the command line how the CRDs are printed and installed. */
export function describeCrds(command: Command): void {
  command.action(printCrds);
  command
    .command('apply')
    .description('install or update the CustomResourceDefinitions in the cluster, by server-side apply')
    .option('--kubeconfig <file>', 'kubeconfig file; else KUBECONFIG, the service account, ~/.kube/config')
    .action(applyCrds);
}

/** Prints the CRDs, one YAML document each. */
function printCrds(): void {
  const documents = crds().map((crd) => stringify(crd, { aliasDuplicateObjects: false, lineWidth: 0 }));
  process.stdout.write(documents.map((document) => `---\n${document}`).join(''));
}

/** Installs or updates them. Server-side apply, because they are too large for the annotation of a client-side one. */
async function applyCrds(options: { readonly kubeconfig?: string }): Promise<void> {
  const connection = await loadConnection({ kubeconfig: options.kubeconfig });
  const transport = createTransport({ connection, clock: systemClock, userAgent: 'manta' });
  const client = createKubeClient({ transport, clock: systemClock });
  try {
    await installCrds(client, (name) => {
      process.stdout.write(`customresourcedefinition.apiextensions.k8s.io/${name} applied\n`);
    });
  } finally {
    await transport.close();
  }
}
