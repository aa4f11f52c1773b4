import type { PlaneClient } from '../../support/plane-client.ts';
import type { ServerAccess } from './http-target.ts';

/** The real control plane, as the suite wants it. */
export function realAccess(plane: Pick<PlaneClient, 'url' | 'ca'>): ServerAccess {
  return {
    name: 'real',
    url: plane.url,
    caCert: plane.ca.cert,
    issue: ({ name, groups = [] }) => plane.ca.issue({ commonName: name, organizations: groups, usages: ['client'] }),
  };
}
