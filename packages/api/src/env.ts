/** Names of the environment variables that we put into pods, or look for in the user's templates. */
export const EnvName = {
  RayClusterName: 'RAY_CLUSTER_NAME',
  RayClusterNamespace: 'RAY_CLUSTER_NAMESPACE',
  RayCloudInstanceId: 'RAY_CLOUD_INSTANCE_ID',
  RayNodeTypeName: 'RAY_NODE_TYPE_NAME',
  RayHeadPodName: 'RAY_HEAD_POD_NAME',
  KubeRayCrdVersion: 'KUBERAY_CRD_VER',

  FqRayIp: 'FQ_RAY_IP',
  /** Deprecated by `FQ_RAY_IP`, still set. */
  RayIp: 'RAY_IP',
  RayPort: 'RAY_PORT',
  RayAddress: 'RAY_ADDRESS',

  GeneratedRayStartCommand: 'KUBERAY_GEN_RAY_START_CMD',
  GeneratedAutoscalerStartCommand: 'KUBERAY_GEN_AUTOSCALER_START_CMD',
  /** Read by the shell inside the container, never by us. */
  RayStartUlimitOpenFiles: 'RAY_START_ULIMIT_OPEN_FILES',

  EnableAutoscalerV2: 'RAY_enable_autoscaler_v2',

  RayRedisAddress: 'RAY_REDIS_ADDRESS',
  RedisUsername: 'REDIS_USERNAME',
  RedisPassword: 'REDIS_PASSWORD',
  ExternalStorageNamespace: 'RAY_external_storage_namespace',
  GcsStorage: 'RAY_gcs_storage',
  GcsStoragePath: 'RAY_gcs_storage_path',
  GcsRpcServerReconnectTimeoutSeconds: 'RAY_gcs_rpc_server_reconnect_timeout_s',
  RedisDbConnectRetries: 'RAY_redis_db_connect_retries',
  RedisDbConnectWaitMilliseconds: 'RAY_redis_db_connect_wait_milliseconds',

  TaskWaitForDeathInfoTimeoutMs: 'RAY_timeout_ms_task_wait_for_death_info',
  GcsServerRequestTimeoutSeconds: 'RAY_gcs_server_request_timeout_seconds',
  ServeKvTimeoutSeconds: 'RAY_SERVE_KV_TIMEOUT_S',

  UsageStatsKubeRayInUse: 'RAY_USAGE_STATS_KUBERAY_IN_USE',
  UsageStatsExtraTags: 'RAY_USAGE_STATS_EXTRA_TAGS',
  DashboardEnableK8sDiskUsage: 'RAY_DASHBOARD_ENABLE_K8S_DISK_USAGE',

  AuthMode: 'RAY_AUTH_MODE',
  AuthToken: 'RAY_AUTH_TOKEN',
  EnableK8sTokenAuth: 'RAY_ENABLE_K8S_TOKEN_AUTH',

  UseTls: 'RAY_USE_TLS',
  TlsServerCert: 'RAY_TLS_SERVER_CERT',
  TlsServerKey: 'RAY_TLS_SERVER_KEY',
  TlsCaCert: 'RAY_TLS_CA_CERT',
  PodIp: 'POD_IP',

  PythonUnbuffered: 'PYTHONUNBUFFERED',
  DashboardAddress: 'RAY_DASHBOARD_ADDRESS',
  JobSubmissionId: 'RAY_JOB_SUBMISSION_ID',

  EnableRayEvent: 'RAY_enable_ray_event',
  EnableCoreWorkerRayEventToAggregator: 'RAY_enable_core_worker_ray_event_to_aggregator',
  EventsExportAddress: 'RAY_DASHBOARD_AGGREGATOR_AGENT_EVENTS_EXPORT_ADDR',
  ExposableEventTypes: 'RAY_DASHBOARD_AGGREGATOR_AGENT_EXPOSABLE_EVENT_TYPES',
  HttpEndpointExposableEventTypes: 'RAY_DASHBOARD_AGGREGATOR_AGENT_PUBLISHER_HTTP_ENDPOINT_EXPOSABLE_EVENT_TYPES',
} as const;

/** Names of the environment variables of the history collector. */
export const CollectorEnvName = {
  RayRole: 'RAY_ROLE',
  OwnerKind: 'OWNER_KIND',
  OwnerName: 'OWNER_NAME',
  EventsPort: 'EVENTS_PORT',
  StorageBackend: 'STORAGE_BACKEND',
  StorageRootDir: 'STORAGE_ROOT_DIR',
  LogBatching: 'LOG_BATCHING',
  PushInterval: 'PUSH_INTERVAL',
  GcsBucket: 'GCS_BUCKET',
  S3Bucket: 'S3_BUCKET',
  S3Endpoint: 'S3_ENDPOINT',
  S3Region: 'S3_REGION',
  AzureStorageContainer: 'AZURE_STORAGE_CONTAINER',
  AzureStorageConnectionString: 'AZURE_STORAGE_CONNECTION_STRING',
  AzureStorageAccountUrl: 'AZURE_STORAGE_ACCOUNT_URL',
  AzureStorageAuthMode: 'AZURE_STORAGE_AUTH_MODE',
  OssBucket: 'OSS_BUCKET',
  OssEndpoint: 'OSS_ENDPOINT',
  OssRegion: 'OSS_REGION',
} as const;

/** Values that some of the variables always carry. */
export const EnvValue = {
  KubeRayCrdVersion: 'v1',
  GcsStorageRocksDb: 'rocksdb',
  GcsRpcServerReconnectTimeoutSeconds: '600',
  RedisDbConnectRetries: '120',
  RedisDbConnectWaitMilliseconds: '500',
  TaskWaitForDeathInfoTimeoutMs: '0',
  GcsServerRequestTimeoutSeconds: '5',
  ServeKvTimeoutSeconds: '5',
  UsageStatsKubeRayInUse: '1',
  DashboardEnableK8sDiskUsage: '1',
  AuthModeToken: 'token',
  EnableK8sTokenAuth: 'true',
  UseTls: '1',
  PythonUnbuffered: '1',
} as const;
