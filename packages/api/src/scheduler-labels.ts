/** Keys by which users speak to batch schedulers, and by which the operator marks pods for them. */
export const SchedulerLabel = {
  VolcanoQueue: 'volcano.sh/queue-name',
  VolcanoTopologyMode: 'volcano.sh/network-topology-mode',
  VolcanoTopologyTier: 'volcano.sh/network-topology-highest-tier-allowed',
  YuniKornApplication: 'yunikorn.apache.org/app-id',
  YuniKornQueue: 'yunikorn.apache.org/queue',
  /** What YuniKorn itself reads on a pod. */
  YuniKornPodApplication: 'applicationId',
  YuniKornPodQueue: 'queue',
  KaiQueue: 'kai.scheduler/queue',
  PluginsPodGroup: 'scheduling.x-k8s.io/pod-group',
} as const;

export const SchedulerAnnotation = {
  VolcanoGroup: 'scheduling.k8s.io/group-name',
  VolcanoTask: 'volcano.sh/task-spec',
  YuniKornTaskGroup: 'yunikorn.apache.org/task-group-name',
  YuniKornTaskGroups: 'yunikorn.apache.org/task-groups',
} as const;
