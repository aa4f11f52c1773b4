import { readdirSync, readFileSync } from 'node:fs';
import { resources } from '@manta/kube';
import { expect, it } from 'vitest';
import { endLocalRay, newFolder, processesOf, startLocalRay } from './support/local-ray.ts';
import { create, isReady, until, untilObject } from './support/look.ts';

/** A program in a session of its own, without a parent, and one that waits. */
const POD = `
apiVersion: v1
kind: Pod
metadata: { name: p }
spec:
  terminationGracePeriodSeconds: 1
  containers: [{ name: main, image: busybox, command: [bash, -c, "(setsid sleep 8881 &); sleep 8882"] }]
`;

it('an engine without namespaces that is killed leaves no process, whoever is killed with it', async () => {
  const folder = newFolder();
  const sleepers = async () => processesOf(folder).filter((line) => / sleep 888[12] $/.test(line));
  const start = () => startLocalRay({ folder, args: ['--sandbox=none'] });
  let ray = await start();
  await create(ray, POD);
  await untilObject(ray, resources.pods, 'p', isReady);
  await until('both programs', sleepers, (lines) => lines.length === 2);
  await ray.kill();
  await until('no program', sleepers, (lines) => lines.length === 0);

  ray = await start();
  await until('both programs again', sleepers, (lines) => lines.length === 2);
  const before = await sleepers();
  // What watches over the engine dies first, and cannot do its work any more.
  for (const pid of supervisorsIn(folder)) process.kill(pid, 'SIGSTOP');
  await ray.kill();
  for (const pid of supervisorsIn(folder)) process.kill(pid, 'SIGKILL');
  expect(await sleepers()).toEqual(before);

  ray = await start();
  const after = await until(
    'others',
    sleepers,
    (lines) => lines.length === 2 && !lines.some((line) => before.includes(line)),
  );
  expect(after).toHaveLength(2);
  await endLocalRay(ray);
});

function supervisorsIn(folder: string): readonly number[] {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      return line.includes(`"socket":"${folder}`) ? [Number(pid)] : [];
    } catch {
      return [];
    }
  });
}
