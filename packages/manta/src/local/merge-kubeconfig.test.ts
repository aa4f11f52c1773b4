import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { mergedText, mergeKubeconfig } from './merge-kubeconfig.ts';

const ours = (server: string) => `
clusters: [{ name: manta, cluster: { server: "${server}" } }]
users: [{ name: admin, user: { client-key-data: a2V5 } }]
contexts: [{ name: manta, context: { cluster: manta, user: admin } }]
current-context: manta`;
const theirs = `# mine
apiVersion: v1
clusters:
- name: work # in the cloud
  cluster: { server: "https://work" }
users:
- { name: admin, user: { token: theirs } }
contexts:
- { name: work, context: { cluster: work, user: admin } }
current-context: work
`;

describe('a kubeconfig that has others in it', () => {
  it('gets ours beside them, once, and keeps what is theirs', () => {
    const twice = mergedText(mergedText(theirs, ours('https://one')), ours('https://two'));
    expect(twice).toContain('# mine');
    expect(twice).toContain('# in the cloud');
    expect(parse(twice)).toEqual({
      apiVersion: 'v1',
      clusters: [
        { name: 'work', cluster: { server: 'https://work' } },
        { name: 'manta', cluster: { server: 'https://two' } },
      ],
      users: [
        { name: 'admin', user: { token: 'theirs' } },
        { name: 'manta-admin', user: { 'client-key-data': 'a2V5' } },
      ],
      contexts: [
        { name: 'work', context: { cluster: 'work', user: 'admin' } },
        { name: 'manta', context: { cluster: 'manta', user: 'manta-admin' } },
      ],
      'current-context': 'work',
    });
  });

  it('is made where there is none, for its owner alone, with ours as the current one', () => {
    const folder = mkdtempSync(join(tmpdir(), 'manta-merge-'));
    const path = join(folder, '.kube/config');
    mergeKubeconfig(path, ours('https://one'));
    expect(parse(readFileSync(path, 'utf8'))['current-context']).toBe('manta');
    expect(statSync(path).mode & 0o077).toBe(0);
    rmSync(folder, { recursive: true });
  });

  it('is left alone where it is something else', () => {
    expect(() => mergedText('- a list', ours('x'))).toThrow('it is no kubeconfig (not a map) and stays as it is');
  });
});
