import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { VERSION } from '../plugin-version.ts';
import { imageVersion } from './version.ts';

describe('imageVersion()', () => {
  it.each([
    ['quay.io/kuberay/operator:v1.7.0', 'v1.7.0'],
    ['registry:5000/manta/operator:0.1.0', '0.1.0'],
    ['operator', 'latest'],
    ['registry:5000/operator', 'latest'],
    ['operator@sha256:abc', 'sha256:abc'],
    ['quay.io/operator:v1@sha256:abc', 'v1@sha256:abc'],
  ])('reads %s', (image, expected) => expect(imageVersion(image)).toBe(expected));
});

describe('VERSION', () => {
  it('equals the version in package.json', () => {
    const text = readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8');
    expect(JSON.parse(text)).toMatchObject({ version: VERSION });
  });
});
