import { expect, it } from 'vitest';
import { loopbackDevice } from './loopback-device.ts';

const systems: Readonly<
  Record<string, readonly [platform: string, release: string, isRoot: boolean, device?: string]>
> = {
  'a Linux of today': ['linux', '6.8.0-45-generic', false, 'lo'],
  'the first Linux that allows it': ['linux', '5.7.0', false, 'lo'],
  'a Linux before that': ['linux', '5.4.0-190-generic', false],
  'an old Linux, as root': ['linux', '4.18.0-553.el8.x86_64', true, 'lo'],
  'another system, even as root': ['darwin', '24.1.0', true],
};

it.each(Object.entries(systems))(
  'listeners are held to the loopback interface where they can be: %s',
  (_, [platform, release, isRoot, device]) => {
    expect(loopbackDevice({ platform, release, isRoot })).toBe(device);
  },
);
