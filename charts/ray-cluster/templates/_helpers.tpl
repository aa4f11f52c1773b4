{{- define "cluster.fullname" -}}
{{- if .Values.fullnameOverride }}{{ .Values.fullnameOverride | trunc 53 | trimSuffix "-" }}
{{- else }}
{{- $name := default .Chart.Name .Values.nameOverride }}
{{- if contains $name .Release.Name }}{{ .Release.Name | trunc 53 | trimSuffix "-" }}
{{- else }}{{ printf "%s-%s" .Release.Name $name | trunc 53 | trimSuffix "-" }}{{ end }}
{{- end }}
{{- end }}

{{- define "cluster.labels" -}}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- /* A group's image: its own parts win over the common ones. */}}
{{- define "cluster.image" -}}
{{- $common := .root.Values.image }}
{{- $own := default dict .group.image }}
{{- printf "%s:%s" (default $common.repository $own.repository) (toString (default $common.tag $own.tag)) }}
{{- end }}

{{- /* rayStartParams, each value a text. */}}
{{- define "cluster.startParams" -}}
{{- $params := dict }}
{{- range $from := list .initArgs .rayStartParams }}
{{- range $key, $value := default dict $from }}{{ $_ := set $params $key (toString $value) }}{{ end }}
{{- end }}
{{- toJson $params }}
{{- end }}

{{- /* A group's pod template; .kind is head or worker. */}}
{{- define "cluster.template" -}}
{{- $group := .group }}
{{- $root := .root }}
metadata:
  labels:
    {{- include "cluster.labels" $root | nindent 4 }}
    {{- with $group.labels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with $group.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- with $root.Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $group.initContainers }}
  initContainers:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: ray-{{ .kind }}
      image: {{ include "cluster.image" . | quote }}
      imagePullPolicy: {{ default $root.Values.image.pullPolicy (default dict $group.image).pullPolicy }}
      resources:
        {{- toYaml (default .defaultResources $group.resources) | nindent 8 }}
      {{- $env := concat (default (list) $root.Values.common.containerEnv) (default (list) $group.containerEnv) }}
      {{- with $env }}
      env:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- range $field := list "envFrom" "command" "args" "ports" "lifecycle" "volumeMounts" "securityContext" }}
      {{- with index $group $field }}
      {{ $field }}:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- end }}
    {{- with $group.sidecarContainers }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- range $field := list "volumes" "nodeSelector" "affinity" "tolerations" "topologySpreadConstraints" "dnsConfig" "resourceClaims" }}
  {{- with index $group $field }}
  {{ $field }}:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- end }}
  {{- range $field := list "priorityClassName" "priority" "restartPolicy" "runtimeClassName" "serviceAccountName" }}
  {{- if not (kindIs "invalid" (index $group $field)) }}
  {{ $field }}: {{ index $group $field }}
  {{- end }}
  {{- end }}
  {{- with $group.podSecurityContext }}
  securityContext:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}

{{- define "cluster.workerGroup" -}}
- groupName: {{ .name }}
  {{- range $field := list "replicas" "minReplicas" "maxReplicas" "numOfHosts" "idleTimeoutSeconds" }}
  {{- $value := index $.group $field }}
  {{- if not (kindIs "invalid" $value) }}
  {{- if not (regexMatch "^[0-9]+$" (toString $value)) }}{{ fail (printf "%s of worker group %s must be a whole number, but is %v" $field $.name $value) }}{{ end }}
  {{ $field }}: {{ $value }}
  {{- end }}
  {{- end }}
  rayStartParams: {{ include "cluster.startParams" .group }}
  template:
    {{- include "cluster.template" . | nindent 4 }}
{{- end }}
