import type { Pod } from '@manta/api';
import { describe, expect, it } from 'vitest';
import { containerRuns } from './containers.ts';

const image = 'i';
const status = (name: string, restartCount: number, state: object) => ({
  name,
  image,
  imageID: '',
  ready: false,
  restartCount,
  state,
});

describe('containerRuns()', () => {
  const pod: Pod = {
    metadata: { name: 'p', uid: 'u' },
    spec: {
      initContainers: [{ name: 'init', image }],
      containers: [
        { name: 'ray', image },
        { name: 'side', image },
      ],
    },
    status: {
      initContainerStatuses: [status('init', 0, { terminated: { exitCode: 0 } })],
      containerStatuses: [
        status('ray', 2, { running: {} }),
        status('side', 0, { waiting: { reason: 'ImagePullBackOff' } }),
      ],
    },
  };

  it('lists init containers first, and gives each restart a key of its own', () => {
    expect(containerRuns(pod)).toEqual([
      { pod: 'p', container: 'init', key: 'u/init/0', isRunning: false, waitsFor: undefined },
      { pod: 'p', container: 'ray', key: 'u/ray/2', isRunning: true, waitsFor: undefined },
      { pod: 'p', container: 'side', key: 'u/side/0', isRunning: false, waitsFor: 'ImagePullBackOff' },
    ]);
  });

  it('leaves out all but the named container', () => {
    expect(containerRuns(pod, 'ray').map(({ container }) => container)).toEqual(['ray']);
  });
});
