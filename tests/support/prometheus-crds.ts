import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { providePrometheusCrds } from '../../tools/prometheus/provide-crds.ts';
import type { PlaneClient } from './plane-client.ts';

/** The kinds of the Prometheus operator that we write. */
const PLURALS = ['podmonitors', 'prometheusrules', 'servicemonitors'];

/** Has the server know the Prometheus operator's kinds by its published definitions; they may be there already. Resolves when they are served. */
export async function installPrometheusCrds(plane: PlaneClient): Promise<void> {
  const folder = await providePrometheusCrds();
  for (const plural of PLURALS) {
    const crd = parse(readFileSync(join(folder, `monitoring.coreos.com_${plural}.yaml`), 'utf8'));
    const made = await plane.request('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crd);
    if (made.status !== 201 && made.status !== 409) throw new Error(made.text);
  }
  for (const plural of PLURALS) await served(plane, plural);
}

async function served(plane: PlaneClient, plural: string): Promise<void> {
  const giveUpAt = Date.now() + 20_000;
  while ((await plane.request('GET', `/apis/monitoring.coreos.com/v1/${plural}`)).status !== 200) {
    if (Date.now() > giveUpAt) throw new Error(`${plural}.monitoring.coreos.com is not served`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
