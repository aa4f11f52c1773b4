import { SchedulerAnnotation, SchedulerLabel } from '@manta/api';
import type { Gang } from './gang.ts';
import { copied, hasGangLabel } from './marks.ts';
import type { BatchScheduler } from './scheduler.ts';
import { writeTaskGroups } from './task-groups.ts';

const { YuniKornApplication, YuniKornQueue, YuniKornPodApplication, YuniKornPodQueue } = SchedulerLabel;

/** YuniKorn: labels and annotations on the pods, no objects. */
export const yunikorn: BatchScheduler = {
  objects: [],

  marks(gang, group) {
    const found = copied(gang, [YuniKornApplication, YuniKornQueue]);
    const application = found[YuniKornApplication];
    const queue = found[YuniKornQueue];
    return {
      labels: {
        ...(application === undefined ? {} : { [YuniKornPodApplication]: application }),
        ...(queue === undefined ? {} : { [YuniKornPodQueue]: queue }),
      },
      annotations: hasGangLabel(gang)
        ? {
            [SchedulerAnnotation.YuniKornTaskGroups]: taskGroups(gang),
            ...(group === '' ? {} : { [SchedulerAnnotation.YuniKornTaskGroup]: group }),
          }
        : {},
      spec: { schedulerName: 'yunikorn' },
    };
  },

  plan: () => [],
  refusal: () => undefined,
};

/** Task groups that the user or the job already set are kept: all pods of a gang must have the same. */
function taskGroups(gang: Gang): string {
  const given = gang.owner.object.metadata?.annotations?.[SchedulerAnnotation.YuniKornTaskGroups];
  return given || writeTaskGroups(gang.members());
}
