{{- define "ringside.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "ringside.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 52 | trimSuffix "-" }}
{{- else }}
{{- $name := include "ringside.name" . }}
{{- if contains $name .Release.Name }}
{{- .Release.Name | trunc 52 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name $name | trunc 52 | trimSuffix "-" }}
{{- end }}
{{- end }}
{{- end }}

{{- define "ringside.selector" -}}
app.kubernetes.io/name: {{ include "ringside.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: server
{{- end }}

{{- define "ringside.labels" -}}
{{ include "ringside.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "ringside.serviceAccount" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "ringside.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{- define "ringside.image" -}}
{{- if .Values.image.digest }}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest }}
{{- else }}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) }}
{{- end }}
{{- end }}

{{- define "ringside.keysSecret" -}}
{{- if .Values.apiKeys.existingSecret }}
{{- .Values.apiKeys.existingSecret }}
{{- else if .Values.apiKeys.values }}
{{- printf "%s-keys" (include "ringside.fullname" .) }}
{{- end }}
{{- end }}

{{- /* What the server is told to serve. */}}
{{- define "ringside.modelPath" -}}
{{- if or (eq .Values.model.source "pvc") (eq .Values.model.source "image") }}
{{- printf "/models/%s" (trimPrefix "/" .Values.model.path) }}
{{- else if eq .Values.model.source "download" }}
{{- .Values.model.download.address }}
{{- end }}
{{- end }}

{{- /* Nine tenths of a size such as 16Gi, in MB: room for the file being written. */}}
{{- define "ringside.spillBytes" -}}
{{- $units := dict "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 "Ti" 1099511627776 }}
{{- $unit := regexFind "[KMGT]i$" .Values.spill.size }}
{{- $number := trimSuffix $unit .Values.spill.size | int64 }}
{{- div (mul $number (get $units $unit) 9) 10485760 }}MB
{{- end }}

{{- /* Settings: the operator's, with what the chart knows itself on top. */}}
{{- define "ringside.config" -}}
{{- $model := dict "path" (include "ringside.modelPath" .) }}
{{- if .Values.model.id }}{{- $_ := set $model "id" .Values.model.id }}{{- end }}
{{- if .Values.model.contextLength }}{{- $_ := set $model "context-length" (int .Values.model.contextLength) }}{{- end }}
{{- if eq .Values.model.source "download" }}
{{- $_ := set $model "cache-directory" "/models" }}
{{- $_ := set $model "allow-http" .Values.model.download.allowHttp }}
{{- if .Values.model.download.sha256 }}{{- $_ := set $model "sha256" .Values.model.download.sha256 }}{{- end }}
{{- end }}
{{- $ringside := dict "model" $model }}
{{- if .Values.gpu.enabled }}{{- $_ := set $ringside "gpu" (dict "backend" "cuda") }}{{- end }}
{{- if .Values.spill.enabled }}
{{- $_ := set $ringside "checkpoints" (dict "spill-directory" "/spill/prefixes" "spill-bytes" (include "ringside.spillBytes" .)) }}
{{- end }}
{{- $spring := dict "lifecycle" (dict "timeout-per-shutdown-phase" (printf "%ds" (int .Values.shutdown.graceSeconds))) }}
{{- if include "ringside.keysSecret" . }}
{{- $_ := set $spring "config" (dict "import" "configtree:/secrets/") }}
{{- end }}
{{- $own := dict "ringside" $ringside "spring" $spring "server" (dict "port" (int .Values.ports.http)) "management" (dict "server" (dict "port" (int .Values.ports.management))) }}
{{- mustMergeOverwrite (deepCopy .Values.config) $own | toYaml }}
{{- end }}

{{- /* Values that fit their schema and not each other. */}}
{{- define "ringside.check" -}}
{{- $v := .Values }}
{{- if and (has $v.model.source (list "pvc" "image")) (not $v.model.path) }}
{{- fail (printf "model.path is needed with model.source %s: the GGUF file within the volume" $v.model.source) }}
{{- end }}
{{- if and (eq $v.model.source "pvc") (not $v.model.pvc.claimName) }}
{{- fail "model.pvc.claimName is needed with model.source pvc" }}
{{- end }}
{{- if and (eq $v.model.source "image") (not $v.model.image.reference) }}
{{- fail "model.image.reference is needed with model.source image" }}
{{- end }}
{{- if eq $v.model.source "download" }}
{{- if not $v.model.download.address }}
{{- fail "model.download.address is needed with model.source download" }}
{{- end }}
{{- if and (eq $v.model.download.storage "pvc") (not $v.model.download.claimName) }}
{{- fail "model.download.claimName is needed with model.download.storage pvc" }}
{{- end }}
{{- if and (eq $v.model.download.storage "claim") (ne $v.kind "StatefulSet") }}
{{- fail "model.download.storage claim needs kind StatefulSet: only its pods have volumes of their own" }}
{{- end }}
{{- end }}
{{- if $v.spill.enabled }}
{{- if and (eq $v.spill.storage "claim") (ne $v.kind "StatefulSet") }}
{{- fail "spill.storage claim needs kind StatefulSet: only its pods have volumes of their own" }}
{{- end }}
{{- if and (eq $v.spill.storage "pvc") (not $v.spill.claimName) }}
{{- fail "spill.claimName is needed with spill.storage pvc" }}
{{- end }}
{{- if and (eq $v.spill.storage "pvc") (or (gt (int $v.replicaCount) 1) $v.autoscaling.enabled $v.keda.enabled) }}
{{- fail "spill.storage pvc is for one pod, since one server at a time uses a directory; take emptyDir, or claim with kind StatefulSet" }}
{{- end }}
{{- end }}
{{- if and $v.autoscaling.enabled $v.keda.enabled }}
{{- fail "autoscaling.enabled and keda.enabled exclude each other: two autoscalers would fight" }}
{{- end }}
{{- if and $v.metrics.serviceMonitor.enabled $v.metrics.podMonitor.enabled }}
{{- fail "metrics.serviceMonitor.enabled and metrics.podMonitor.enabled exclude each other: everything would be counted twice" }}
{{- end }}
{{- if and $v.apiKeys.existingSecret $v.apiKeys.values }}
{{- fail "apiKeys.existingSecret and apiKeys.values exclude each other" }}
{{- end }}
{{- end }}
