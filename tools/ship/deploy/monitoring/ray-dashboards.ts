import type { Dashboard, Panel, Row } from './dashboard.ts';

const IN = 'ray_io_cluster=~"$cluster"';
const CLUSTER = {
  name: 'cluster',
  label: 'RayCluster',
  query: 'label_values(ray_node_cpu_utilization, ray_io_cluster)',
} as const;

/** One panel: the sum of a metric by some labels. */
function total(title: string, metric: string, by: string, unit?: string): Panel {
  return panel(title, `sum by (${by}) (${metric}{${IN}})`, by, unit);
}

/** One panel: how fast a counter grows. */
function rate(title: string, metric: string, by: string, unit = 'ops'): Panel {
  return panel(title, `sum by (${by}) (rate(${metric}{${IN}}[5m]))`, by, unit);
}

/** One panel: a high and a middle quantile of a histogram. */
function spread(title: string, metric: string, by: string, unit: string): Panel {
  const quantile = (q: number) => `histogram_quantile(${q}, sum by (${by}, le) (rate(${metric}_bucket{${IN}}[5m])))`;
  const legend = legendOf(by);
  return { title, unit, queries: { [quantile(0.5)]: `${legend} p50`, [quantile(0.99)]: `${legend} p99` } };
}

/** One panel: one counter in relation to another, both as rates. */
function ratio(title: string, part: string, whole: string, by: string, unit = 'percentunit'): Panel {
  const speed = (metric: string) => `sum by (${by}) (rate(${metric}{${IN}}[5m]))`;
  return panel(title, `${speed(part)} / ${speed(whole)}`, by, unit);
}

function panel(title: string, query: string, by: string, unit = 'short'): Panel {
  return { title, unit, queries: { [query]: legendOf(by) } };
}

const legendOf = (by: string) =>
  by
    .split(', ')
    .map((label) => `{{${label}}}`)
    .join(' ');

const NODES: Row = {
  title: 'Nodes',
  panels: [
    total('CPU in use', 'ray_node_cpu_utilization', 'instance', 'percent'),
    total('Memory in use', 'ray_node_mem_used_host', 'instance', 'bytes'),
    total('GPU in use', 'ray_node_gpus_utilization', 'instance', 'percent'),
    total('GPU memory in use', 'ray_node_gram_used', 'instance', 'decmbytes'),
    total('Disk in use', 'ray_node_disk_usage', 'instance', 'bytes'),
    total('Disk free', 'ray_node_disk_free', 'instance', 'bytes'),
    total('Received', 'ray_node_network_receive_speed', 'instance', 'Bps'),
    total('Sent', 'ray_node_network_send_speed', 'instance', 'Bps'),
  ],
};

const AUTOSCALER: Row = {
  title: 'Autoscaler',
  panels: [
    total('Nodes', 'autoscaler_active_nodes', 'NodeType'),
    total('Nodes that are coming', 'autoscaler_pending_nodes', 'NodeType'),
    total('Nodes that failed', 'autoscaler_recently_failed_nodes', 'NodeType'),
    total('Resources', 'autoscaler_cluster_resources', 'resource'),
    total('Resources that are waited for', 'autoscaler_pending_resources', 'resource'),
  ],
};

const ENGINE = 'model_name';

/** What a Ray cluster itself says, for those who look at many of them in one Grafana. */
export const RAY_DASHBOARDS: Readonly<Record<string, Dashboard>> = {
  'ray-cluster': of('rayDefaultDashboard', 'Ray clusters', [
    AUTOSCALER,
    {
      title: 'Work',
      panels: [
        total('Tasks', 'ray_tasks', 'State'),
        total('Actors', 'ray_actors', 'State'),
        total('Placement groups', 'ray_placement_groups', 'State'),
        total('Resources', 'ray_resources', 'Name, State'),
        total('Object store', 'ray_object_store_memory', 'Location', 'bytes'),
        rate('Workers that ran out of memory', 'ray_memory_manager_worker_eviction_total', 'Type'),
        rate('Workers that died', 'ray_node_manager_unexpected_worker_failure_total', 'instance'),
      ],
    },
    NODES,
    {
      title: 'Components',
      panels: [
        total('CPU', 'ray_component_cpu_percentage', 'Component', 'percent'),
        total('Memory', 'ray_component_rss_bytes', 'Component', 'bytes'),
        total('GPU memory', 'ray_component_gpu_memory_mb', 'Component', 'decmbytes'),
      ],
    },
    {
      title: 'TPU',
      panels: [
        total('Tensor cores in use', 'ray_tpu_tensorcore_utilization', 'instance', 'percent'),
        total('Duty cycle', 'ray_tpu_duty_cycle', 'instance', 'percent'),
        total('Memory in use', 'ray_tpu_memory_used', 'instance', 'bytes'),
      ],
    },
  ]),
  'ray-serve': of('rayServeDashboard', 'Ray Serve', [
    {
      title: 'Requests',
      panels: [
        rate('HTTP requests', 'ray_serve_num_http_requests_total', 'application, route', 'reqps'),
        ratio(
          'HTTP errors',
          'ray_serve_num_http_error_requests_total',
          'ray_serve_num_http_requests_total',
          'application',
        ),
        spread('HTTP latency', 'ray_serve_http_request_latency_ms', 'application', 'ms'),
        rate('gRPC requests', 'ray_serve_num_grpc_requests_total', 'application, method', 'reqps'),
        ratio(
          'gRPC errors',
          'ray_serve_num_grpc_error_requests_total',
          'ray_serve_num_grpc_requests_total',
          'application',
        ),
        spread('gRPC latency', 'ray_serve_grpc_request_latency_ms', 'application', 'ms'),
        total('Requests under way', 'ray_serve_num_ongoing_http_requests', 'instance'),
      ],
    },
    {
      title: 'Controller',
      panels: [
        total('Requests being placed', 'ray_serve_num_scheduling_tasks', 'instance'),
        total('Placements that wait', 'ray_serve_num_scheduling_tasks_in_backoff', 'instance'),
        total('Control loop', 'ray_serve_controller_control_loop_duration_s', 'instance', 's'),
      ],
    },
    AUTOSCALER,
    NODES,
  ]),
  'ray-serve-deployment': of('rayServeDeploymentDashboard', 'Ray Serve deployments', [
    {
      title: 'Deployments',
      panels: [
        total('Replicas that are well', 'ray_serve_deployment_replica_healthy', 'application, deployment'),
        rate('Requests', 'ray_serve_deployment_request_counter_total', 'application, deployment', 'reqps'),
        rate('Errors', 'ray_serve_deployment_error_counter_total', 'application, deployment', 'reqps'),
        spread('Latency', 'ray_serve_deployment_processing_latency_ms', 'application, deployment', 'ms'),
        total('Waiting', 'ray_serve_deployment_queued_queries', 'application, deployment'),
        total('Under way, by replica', 'ray_serve_replica_processing_queries', 'deployment, replica'),
      ],
    },
    {
      title: 'Models that share a replica',
      panels: [
        total('Models', 'ray_serve_num_multiplexed_models', 'deployment, replica'),
        rate('Loaded', 'ray_serve_multiplexed_models_load_counter_total', 'deployment'),
        rate('Unloaded', 'ray_serve_multiplexed_models_unload_counter_total', 'deployment'),
        spread('Time to load', 'ray_serve_multiplexed_model_load_latency_ms', 'deployment', 'ms'),
      ],
    },
  ]),
  'ray-serve-llm': of('rayServeLlmDashboard', 'Ray Serve LLM', [
    {
      title: 'Tokens',
      panels: [
        rate('Requests', 'ray_serve_deployment_request_counter_total', 'deployment', 'reqps'),
        rate('Prompt tokens', 'ray_vllm_prompt_tokens_total', ENGINE),
        rate('Generated tokens', 'ray_vllm_generation_tokens_total', ENGINE),
        rate('How requests end', 'ray_vllm_request_success_total', 'finished_reason'),
        spread('Prompt length', 'ray_vllm_request_prompt_tokens', ENGINE, 'short'),
        spread('Answer length', 'ray_vllm_request_generation_tokens', ENGINE, 'short'),
      ],
    },
    latencies(),
    caches(),
    {
      title: 'Transfer of the cache',
      panels: [
        rate('Bytes', 'ray_vllm_nixl_bytes_transferred_sum', ENGINE, 'Bps'),
        ratio(
          'Seconds a transfer',
          'ray_vllm_nixl_xfer_time_seconds_sum',
          'ray_vllm_nixl_xfer_time_seconds_count',
          ENGINE,
          's',
        ),
        rate('Failed', 'ray_vllm_nixl_num_failed_transfers', ENGINE),
      ],
    },
  ]),
  'ray-data-llm': of('rayDataLlmDashboard', 'Ray Data LLM', [
    {
      title: 'Throughput',
      panels: [
        rate('Prompt tokens', 'ray_vllm_request_prompt_tokens_sum', ENGINE),
        rate('Generated tokens', 'ray_vllm_generation_tokens_total', ENGINE),
        rate('How requests end', 'ray_vllm_request_success_total', 'finished_reason'),
      ],
    },
    latencies(),
    caches(),
  ]),
  'ray-data': of('rayDataDashboard', 'Ray Data', [
    {
      title: 'Overview',
      panels: [
        rate('Rows', 'ray_data_output_rows', 'dataset, operator'),
        rate('Bytes', 'ray_data_output_bytes', 'dataset, operator', 'Bps'),
        total('In memory', 'ray_data_current_bytes', 'dataset, operator', 'bytes'),
        total('Spilled', 'ray_data_spilled_bytes', 'dataset, operator', 'bytes'),
        total('CPUs', 'ray_data_cpu_usage_cores', 'dataset, operator'),
        total('GPUs', 'ray_data_gpu_usage_cores', 'dataset, operator'),
      ],
    },
    {
      title: 'Inputs and outputs',
      panels: [
        total('Blocks that wait to go in', 'ray_data_num_external_inqueue_blocks', 'dataset, operator'),
        total('Blocks that wait to go out', 'ray_data_num_external_outqueue_blocks', 'dataset, operator'),
        rate('Bytes received', 'ray_data_bytes_inputs_received', 'dataset, operator', 'Bps'),
        rate('Bytes taken', 'ray_data_bytes_outputs_taken', 'dataset, operator', 'Bps'),
      ],
    },
    {
      title: 'Tasks',
      panels: [
        total('Running', 'ray_data_num_tasks_running', 'dataset, operator'),
        rate('Finished', 'ray_data_num_tasks_finished', 'dataset, operator'),
        rate('Failed', 'ray_data_num_tasks_failed', 'dataset, operator'),
        spread('How long they take', 'ray_data_task_completion_time', 'dataset, operator', 's'),
        total('Held back', 'ray_data_task_submission_backpressure_time', 'dataset, operator', 's'),
      ],
    },
    {
      title: 'Budget and iteration',
      panels: [
        total('CPUs left', 'ray_data_cpu_budget', 'dataset, operator'),
        total('GPUs left', 'ray_data_gpu_budget', 'dataset, operator'),
        total('Object store left', 'ray_data_object_store_memory_budget', 'dataset, operator', 'bytes'),
        total('Readers blocked', 'ray_data_iter_total_blocked_seconds', 'dataset', 's'),
        total('Scheduling loop', 'ray_data_sched_loop_duration_s', 'dataset', 's'),
      ],
    },
  ]),
  'ray-train': of('rayTrainDashboard', 'Ray Train', [
    {
      title: 'Runs',
      panels: [
        total('Controller', 'ray_train_controller_state', 'ray_train_run_name, ray_train_controller_state'),
        total('Starting workers', 'ray_train_worker_group_start_total_time_s', 'ray_train_run_name', 's'),
        total('Stopping workers', 'ray_train_worker_group_shutdown_total_time_s', 'ray_train_run_name', 's'),
        total('Blocked in reports', 'ray_train_report_total_blocked_time_s', 'ray_train_run_name', 's'),
        total('Writing checkpoints', 'ray_train_checkpoint_transfer_total_time_s', 'ray_train_run_name', 's'),
      ],
    },
    NODES,
  ]),
};

function of(uid: string, title: string, rows: readonly Row[]): Dashboard {
  return { uid, title, tags: ['ray', 'manta'], variables: [CLUSTER], rows };
}

function latencies(): Row {
  return {
    title: 'Latency',
    panels: [
      spread('First token', 'ray_vllm_time_to_first_token_seconds', ENGINE, 's'),
      spread('Each token', 'ray_vllm_request_time_per_output_token_seconds', ENGINE, 's'),
      spread('Whole request', 'ray_vllm_e2e_request_latency_seconds', ENGINE, 's'),
      rate('Waiting', 'ray_vllm_request_queue_time_seconds_sum', ENGINE, 's'),
    ],
  };
}

function caches(): Row {
  return {
    title: 'Engine',
    panels: [
      total('Requests running', 'ray_vllm_num_requests_running', ENGINE),
      total('Requests waiting', 'ray_vllm_num_requests_waiting', ENGINE),
      total('Cache in use', 'ray_vllm_kv_cache_usage_perc', ENGINE, 'percentunit'),
      ratio('Prefixes found', 'ray_vllm_prefix_cache_hits_total', 'ray_vllm_prefix_cache_queries_total', ENGINE),
    ],
  };
}
