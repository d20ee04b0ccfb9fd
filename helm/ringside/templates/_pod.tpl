{{- define "ringside.pod" -}}
metadata:
  labels:
    {{- include "ringside.selector" . | nindent 4 }}
    {{- with .Values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  annotations:
    kubectl.kubernetes.io/default-container: ringside
    # Pods are replaced when their settings change.
    checksum/config: {{ include "ringside.config" . | sha256sum }}
    {{- if .Values.apiKeys.values }}
    checksum/keys: {{ join "," .Values.apiKeys.values | sha256sum }}
    {{- end }}
    {{- with .Values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ include "ringside.serviceAccount" . }}
  automountServiceAccountToken: false
  # RINGSIDE_* variables that describe services look like settings.
  enableServiceLinks: false
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- if and .Values.gpu.enabled .Values.gpu.runtimeClassName }}
  runtimeClassName: {{ .Values.gpu.runtimeClassName }}
  {{- end }}
  {{- with .Values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  # preStop, the drain, the web server's and the engine's end behind it.
  terminationGracePeriodSeconds: {{ add (int .Values.shutdown.preStopSeconds) (int .Values.shutdown.graceSeconds) 45 }}
  securityContext:
    {{- toYaml .Values.podSecurityContext | nindent 4 }}
  {{- if eq .Values.model.source "download" }}
  initContainers:
    - name: model
      image: {{ include "ringside.image" . }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      args:
        - fetch
        - {{ .Values.model.download.address | quote }}
        - --cache=/models
        {{- with .Values.model.download.sha256 }}
        - --sha256={{ join "," . }}
        {{- end }}
        {{- if .Values.model.download.allowHttp }}
        - --allow-http
        {{- end }}
      {{- with .Values.model.download.tokenSecret }}
      {{- if .name }}
      env:
        - name: HF_TOKEN
          valueFrom:
            secretKeyRef:
              name: {{ .name }}
              key: {{ .key }}
      {{- end }}
      {{- end }}
      resources:
        requests:
          cpu: 500m
          memory: 512Mi
        limits:
          memory: 512Mi
      securityContext:
        {{- toYaml .Values.securityContext | nindent 8 }}
      volumeMounts:
        - name: model
          mountPath: /models
        - name: tmp
          mountPath: /tmp
  {{- end }}
  containers:
    - name: ringside
      image: {{ include "ringside.image" . }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      args:
        - serve
        - --spring.config.additional-location=file:/config/
      env:
        - name: JDK_JAVA_OPTIONS
          value: {{ .Values.java.options | quote }}
        - name: XDG_CACHE_HOME
          value: /tmp
        {{- with .Values.extraEnv }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      ports:
        - name: http
          containerPort: {{ .Values.ports.http }}
        - name: management
          containerPort: {{ .Values.ports.management }}
      # Succeeds when the model is loaded; until then the port is closed, or answers how far a download is.
      startupProbe:
        httpGet:
          path: /actuator/health/readiness
          port: management
        periodSeconds: {{ .Values.probes.startup.periodSeconds }}
        failureThreshold: {{ .Values.probes.startup.failureThreshold }}
        timeoutSeconds: 5
      readinessProbe:
        httpGet:
          path: /actuator/health/readiness
          port: management
        periodSeconds: {{ .Values.probes.readiness.periodSeconds }}
        failureThreshold: {{ .Values.probes.readiness.failureThreshold }}
        timeoutSeconds: 5
      livenessProbe:
        httpGet:
          path: /actuator/health/liveness
          port: management
        periodSeconds: {{ .Values.probes.liveness.periodSeconds }}
        failureThreshold: {{ .Values.probes.liveness.failureThreshold }}
        timeoutSeconds: {{ .Values.probes.liveness.timeoutSeconds }}
      {{- if .Values.shutdown.preStopSeconds }}
      lifecycle:
        preStop:
          # Requests keep coming until all proxies have heard that the pod is leaving. Needs no shell in the image.
          sleep:
            seconds: {{ .Values.shutdown.preStopSeconds }}
      {{- end }}
      resources:
        {{- $resources := deepCopy .Values.resources }}
        {{- if .Values.gpu.enabled }}
        {{- $gpu := dict .Values.gpu.resource (int .Values.gpu.count) }}
        {{- $_ := set $resources "limits" (merge $gpu (default dict $resources.limits)) }}
        {{- end }}
        {{- toYaml $resources | nindent 8 }}
      securityContext:
        {{- toYaml .Values.securityContext | nindent 8 }}
      volumeMounts:
        - name: config
          mountPath: /config
          readOnly: true
        - name: tmp
          mountPath: /tmp
        {{- if ne .Values.model.source "builtin" }}
        - name: model
          mountPath: /models
          readOnly: true
        {{- end }}
        {{- if .Values.spill.enabled }}
        - name: spill
          mountPath: /spill
        {{- end }}
        {{- if include "ringside.keysSecret" . }}
        - name: keys
          mountPath: /secrets
          readOnly: true
        {{- end }}
        {{- with .Values.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  volumes:
    - name: config
      configMap:
        name: {{ include "ringside.fullname" . }}
    - name: tmp
      emptyDir:
        sizeLimit: {{ .Values.tmp.size }}
    {{- if eq .Values.model.source "pvc" }}
    - name: model
      persistentVolumeClaim:
        claimName: {{ .Values.model.pvc.claimName }}
        readOnly: true
    {{- else if eq .Values.model.source "image" }}
    - name: model
      image:
        reference: {{ .Values.model.image.reference }}
        pullPolicy: {{ .Values.model.image.pullPolicy }}
    {{- else if eq .Values.model.source "download" }}
    {{- if eq .Values.model.download.storage "emptyDir" }}
    - name: model
      emptyDir:
        sizeLimit: {{ .Values.model.download.size }}
    {{- else if eq .Values.model.download.storage "pvc" }}
    - name: model
      persistentVolumeClaim:
        claimName: {{ .Values.model.download.claimName }}
    {{- end }}
    {{- end }}
    {{- if .Values.spill.enabled }}
    {{- if eq .Values.spill.storage "emptyDir" }}
    - name: spill
      emptyDir:
        sizeLimit: {{ .Values.spill.size }}
    {{- else if eq .Values.spill.storage "pvc" }}
    - name: spill
      persistentVolumeClaim:
        claimName: {{ .Values.spill.claimName }}
    {{- end }}
    {{- end }}
    {{- with include "ringside.keysSecret" . }}
    - name: keys
      secret:
        secretName: {{ . }}
        items:
          - key: {{ $.Values.apiKeys.secretKey }}
            path: ringside.api.keys
    {{- end }}
    {{- with .Values.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- if .Values.topologySpread.enabled }}
  topologySpreadConstraints:
    {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
    - maxSkew: 1
      topologyKey: {{ . }}
      whenUnsatisfiable: {{ $.Values.topologySpread.whenUnsatisfiable }}
      labelSelector:
        matchLabels:
          {{- include "ringside.selector" $ | nindent 10 }}
    {{- end }}
  {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
