import { readFileSync } from 'node:fs';
import type { ControlPlane } from '../../support/control-plane.ts';
import type { ServerAccess } from './http-target.ts';

/** Where etcd listens, out of the command line of the API server that uses it. */
function etcdUrl(pids: readonly number[]): string {
  const commands = pids.map((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
  const flag = /--etcd-servers=([^\0]+)/.exec(commands.join('\0'));
  if (flag?.[1] === undefined) throw new Error('no API server runs that would name its etcd');
  return flag[1];
}

/** The real control plane, as the suite wants it. */
export function realAccess(plane: Pick<ControlPlane, 'url' | 'ca' | 'pids'>): ServerAccess {
  return {
    name: 'real',
    url: plane.url,
    caCert: plane.ca.cert,
    forget: async (version) => {
      const body = JSON.stringify({ revision: String(version) });
      const answer = await fetch(`${etcdUrl(plane.pids())}/v3/kv/compaction`, { method: 'POST', body });
      // Somebody else may have gone further already.
      const text = await answer.text();
      if (!answer.ok && !text.includes('compacted')) throw new Error(`etcd does not forget: ${text}`);
    },
    issue: ({ name, groups = [] }) => plane.ca.issue({ commonName: name, organizations: groups, usages: ['client'] }),
  };
}
