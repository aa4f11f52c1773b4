import { SchedulerAnnotation, SchedulerLabel } from '@manta/api';
import { podAmounts, resourceList } from '../amounts.ts';
import type { Gang, Member } from './gang.ts';
import { copied, hasGangLabel } from './marks.ts';
import type { BatchScheduler } from './scheduler.ts';

const { YuniKornApplication, YuniKornQueue, YuniKornPodApplication, YuniKornPodQueue } = SchedulerLabel;

/** YuniKorn: everything is said on the pods themselves. */
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

/** What the user or the job has written down counts; the members of a gang must all say the same. */
function taskGroups(gang: Gang): string {
  const given = gang.owner.object.metadata?.annotations?.[SchedulerAnnotation.YuniKornTaskGroups];
  return given ?? JSON.stringify(gang.members().map(taskGroup));
}

function taskGroup({ group, pod, least }: Member): object {
  const { nodeSelector, affinity, tolerations } = pod;
  return {
    minResource: resourceList(podAmounts(pod)),
    ...(nodeSelector === undefined ? {} : { nodeSelector }),
    ...(affinity === undefined ? {} : { affinity }),
    name: group,
    ...(tolerations === undefined ? {} : { tolerations }),
    minMember: least,
  };
}
