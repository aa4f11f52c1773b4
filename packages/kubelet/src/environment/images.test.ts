import { describe, expect, it } from 'vitest';
import { createImageTable } from './images.ts';

const table = createImageTable({
  rayBin: '/ray/bin',
  configured: { 'example.com/team/tool': { bin: '/opt/tool/bin', command: ['tool', 'serve'] } },
});

describe('what runs instead of an image of Ray where versions count', () => {
  const asked: string[] = [];
  const byTag = createImageTable({
    rayBin: '/ray/bin',
    rayOfVersion: (version) => {
      asked.push(version);
      return version === '2.53.0' ? '/ray-2.53.0/bin' : Promise.reject(new Error(`there is no Ray ${version}`));
    },
  });
  const pathOf = (image: string) => {
    const answer = byTag(image);
    return answer.kind === 'known' ? answer.env['PATH']?.split(':')[0] : answer.kind;
  };

  it.each([
    'rayproject/ray:2.53.0',
    'rayproject/ray:2.53.0-py311-gpu',
    'docker.io/rayproject/ray-ml:2.53.0-aarch64',
    'example.com:5000/rayproject/ray:2.53.0@sha256:abc',
  ])('is the version that the tag says for %s', (image) => {
    expect(pathOf(image)).toBe('/ray-2.53.0/bin');
  });

  it.each(['rayproject/ray', 'rayproject/ray:nightly', 'rayproject/ray:latest-py311', 'rayproject/ray@sha256:abc'])(
    'is the installed Ray for %s, which names none',
    (image) => {
      asked.length = 0;
      expect([pathOf(image), asked]).toEqual(['/ray/bin', []]);
    },
  );

  it('is being installed where it is not there, and says what and why it fails', async () => {
    const answer = byTag('rayproject/ray:9.9.9');
    expect(answer).toMatchObject({ kind: 'installing', what: 'Ray 9.9.9' });
    await expect(answer.kind === 'installing' && answer.done).rejects.toThrow('there is no Ray 9.9.9');
  });
});

describe('what runs instead of an image', () => {
  it.each([
    'rayproject/ray:2.53.0',
    'rayproject/ray:2.9.0-py311-gpu',
    'docker.io/rayproject/ray-ml:nightly',
    'registry.example.com/mirror/rayproject/ray@sha256:abc',
  ])('is the installed Ray for %s', (image) => {
    const answer = table(image);
    expect(answer.kind === 'known' && answer.env['PATH']).toMatch(/^\/ray\/bin:/);
    expect(answer.kind === 'known' && answer.env['RAY_USAGE_STATS_ENABLED']).toBe('0');
  });

  it.each(['busybox', 'busybox:1.36', 'docker.io/library/debian:12', 'alpine'])('is this system for %s', (image) => {
    const answer = table(image);
    expect(answer.kind === 'known' && answer.env['PATH']).not.toContain('/ray/bin');
  });

  it('is what was configured for its name, whatever its tag', () => {
    const answer = table('example.com/team/tool:v3');
    expect(answer).toMatchObject({ kind: 'known', command: ['tool', 'serve'] });
    expect(answer.kind === 'known' && answer.env['PATH']).toMatch(/^\/opt\/tool\/bin:/);
  });

  it.each(['example.com/myproject/ray:1', 'rayproject/kuberay-operator:1', 'busyboxes', ''])(
    'is nothing for %j, and the message names a way out',
    (image) => {
      const answer = table(image);
      expect(answer.kind === 'unknown' && answer.message).toContain('manta up --image ');
    },
  );
});
