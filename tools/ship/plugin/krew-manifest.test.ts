import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { krewManifest } from './krew-manifest.ts';
import { verify } from './node-package.ts';
import { hostTarget, TARGETS } from './targets.ts';

describe('krewManifest()', () => {
  const archives = TARGETS.map((target, i) => ({
    target,
    file: `kubectl-ray_1.2.3_${target.os}_${target.arch}.tar.gz`,
    sha256: String(i).repeat(64),
  }));
  const manifest = parse(krewManifest('1.2.3', archives, 'https://example.com/v1.2.3/'));

  it('has what krew requires of a manifest', () => {
    expect(manifest).toMatchObject({
      apiVersion: 'krew.googlecontainertools.github.com/v1alpha2',
      kind: 'Plugin',
      metadata: { name: 'ray' },
      spec: { version: 'v1.2.3' },
    });
    expect(manifest.spec.shortDescription.length).toBeLessThanOrEqual(50);
  });

  it('selects one archive for each platform, with its checksum and the program in it', () => {
    expect(manifest.spec.platforms).toHaveLength(5);
    expect(manifest.spec.platforms[4]).toEqual({
      selector: { matchLabels: { os: 'windows', arch: 'amd64' } },
      uri: 'https://example.com/v1.2.3/kubectl-ray_1.2.3_windows_amd64.tar.gz',
      sha256: '4'.repeat(64),
      bin: 'kubectl-ray.exe',
    });
  });
});

describe('hostTarget()', () => {
  it('is the target of this kind of machine', () => {
    expect(hostTarget('linux', 'x64')).toMatchObject({ os: 'linux', arch: 'amd64' });
  });

  it('names the machines that can package the plugin on any other', () => {
    expect(() => hostTarget('freebsd', 'x64')).toThrow('cannot be packaged on freebsd/x64. Use one of linux/amd64');
  });
});

describe('verify()', () => {
  it('refuses an archive with another hash than the pinned one', () => {
    expect(() => verify(Buffer.from('altered'), TARGETS[0] ?? hostTarget())).toThrow('not the pinned sha512-');
  });
});
