{{- define "operator.fullname" -}}
{{- default .Release.Name .Values.fullnameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "operator.appName" -}}
{{ default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "operator.selectorLabels" -}}
app.kubernetes.io/name: {{ include "operator.appName" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "operator.labels" -}}
{{ include "operator.selectorLabels" . }}
app.kubernetes.io/component: {{ default .Chart.Name .Values.componentOverride }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "operator.serviceAccountName" -}}
{{- default (ternary (include "operator.fullname" .) "default" .Values.serviceAccount.create) .Values.serviceAccount.name }}
{{- end }}

{{- define "operator.image" -}}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) }}
{{- end }}

{{- /* The namespaces to watch, as a JSON list; none means all. */}}
{{- define "operator.watchedNamespaces" -}}
{{- $named := default (list) .Values.watchNamespace }}
{{- if not (kindIs "slice" $named) }}{{ fail (printf "watchNamespace must be a list of namespaces, such as [team-a, team-b], but is %v" $named) }}{{ end }}
{{- if and .Values.singleNamespaceInstall (empty $named) }}{{ $named = list .Release.Namespace }}{{ end }}
{{- toJson $named }}
{{- end }}

{{- define "operator.featureGates" -}}
{{- $gates := list }}
{{- range default (list) .Values.featureGates }}
{{- if not (and .name (kindIs "bool" .enabled)) }}{{ fail (printf "featureGates: each entry needs a name and enabled: true or false, but one is %s" (toJson .)) }}{{ end }}
{{- $gates = append $gates (printf "%s=%t" .name .enabled) }}
{{- end }}
{{- join "," $gates }}
{{- end }}

{{- define "operator.hasGate" -}}
{{- $name := index . 1 }}
{{- range default (list) (index . 0).Values.featureGates }}{{ if and (eq .name $name) .enabled }}yes{{ end }}{{ end }}
{{- end }}

{{- define "operator.logFile" -}}
{{- with .Values.logging }}{{ if and .baseDir .fileName }}{{ printf "%s/%s" (trimSuffix "/" .baseDir) .fileName }}{{ end }}{{ end }}
{{- end }}

{{- define "operator.checkNumbers" -}}
{{- with .Values.manta.securityProfile }}
{{- if ne . "secure" }}{{ fail (printf "manta.securityProfile must be secure or empty, but is %v" .) }}{{ end }}
{{- end }}
{{- if not (kindIs "invalid" .Values.reconcileConcurrency) }}
{{- if not (regexMatch "^[1-9][0-9]*$" (toString .Values.reconcileConcurrency)) }}{{ fail (printf "reconcileConcurrency must be a positive whole number, but is %v" .Values.reconcileConcurrency) }}{{ end }}
{{- end }}
{{- with .Values.kubeClient }}
{{- if and (not (kindIs "invalid" .qps)) (not (regexMatch "^-?[0-9]+([.][0-9]+)?$" (toString .qps))) }}{{ fail (printf "kubeClient.qps must be a number, but is %v" .qps) }}{{ end }}
{{- if and (not (kindIs "invalid" .burst)) (not (regexMatch "^[0-9]+$" (toString .burst))) }}{{ fail (printf "kubeClient.burst must be a whole number of 0 or more, but is %v" .burst) }}{{ end }}
{{- end }}
{{- with .Values.batchScheduler.name }}
{{- if not (has . (list "volcano" "yunikorn" "scheduler-plugins" "kai-scheduler")) }}{{ fail (printf "batchScheduler.name must be volcano, yunikorn, scheduler-plugins or kai-scheduler, but is %s" .) }}{{ end }}
{{- end }}
{{- with .Values.manta.webhooks }}
{{- if not (has .failurePolicy (list "Fail" "Ignore")) }}{{ fail (printf "manta.webhooks.failurePolicy must be Fail or Ignore, but is %v" .failurePolicy) }}{{ end }}
{{- if not (has .certificate (list "self-made" "cert-manager" "secret")) }}{{ fail (printf "manta.webhooks.certificate must be self-made, cert-manager or secret, but is %v" .certificate) }}{{ end }}
{{- if and .enabled (eq .certificate "secret") (not .caBundle) }}{{ fail "manta.webhooks.caBundle must be given with certificate: secret: the base64 of what has to be trusted" }}{{ end }}
{{- end }}
{{- range default (list) .Values.manta.profiles }}
{{- if not (has . (list "disruption-budgets" "upgrade-capacity" "webhook-certificates" "volcano" "scheduler-plugins" "kubernetes-was")) }}{{ fail (printf "manta.profiles: there is no profile %s" .) }}{{ end }}
{{- end }}
{{- end }}

{{- /* Everything that the operator may do: the base, and what its options need. */}}
{{- define "operator.allRules" -}}
{{- if eq .Values.manta.rbacWrites false }}
{{ include "operator.rules.base-without-rbac-writes" . }}
{{- else }}
{{ include "operator.rules.base" . }}
{{- end }}
{{- $scheduler := .Values.batchScheduler }}
{{- $profiles := default (list) .Values.manta.profiles }}
{{- if or (eq $scheduler.name "volcano") $scheduler.enabled (has "volcano" $profiles) }}
{{ include "operator.rules.volcano" . }}
{{- end }}
{{- if or (eq $scheduler.name "scheduler-plugins") $scheduler.enabled (has "scheduler-plugins" $profiles) }}
{{ include "operator.rules.scheduler-plugins" . }}
{{- end }}
{{- if or (include "operator.hasGate" (list . "KubernetesWAS")) (has "kubernetes-was" $profiles) }}
{{ include "operator.rules.kubernetes-was" . }}
{{- end }}
{{- if has "webhook-certificates" $profiles }}
{{ include "operator.rules.webhook-certificates" . }}
{{- end }}
{{- if has "disruption-budgets" $profiles }}
{{ include "operator.rules.disruption-budgets" . }}
{{- end }}
{{- if has "upgrade-capacity" $profiles }}
{{ include "operator.rules.upgrade-capacity" . }}
{{- end }}
{{- end }}
