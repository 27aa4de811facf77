{{- define "sluice.name" -}}
{{- $name := ternary .Release.Name (printf "%s-sluice" .Release.Name) (contains "sluice" .Release.Name) }}
{{- $name | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "sluice.selector" -}}
app.kubernetes.io/name: sluice
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "sluice.labels" -}}
{{ include "sluice.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "sluice.image" -}}
{{ printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) | quote }}
{{- end }}

{{/* Settings of every process of Sluice; secrets by reference alone. */}}
{{- define "sluice.env" -}}
{{- if .Values.database.urlSecret.name }}
- name: SLUICE_DATABASE_URL
  valueFrom: { secretKeyRef: {{ toJson .Values.database.urlSecret }} }
{{- end }}
{{- if .Values.secretKeySecret.name }}
- name: SLUICE_SECURITY_SECRET_KEY
  valueFrom: { secretKeyRef: {{ toJson .Values.secretKeySecret }} }
{{- end }}
{{- range $name, $value := .Values.settings }}
- { name: {{ $name }}, value: {{ $value | toString | quote }} }
{{- end }}
{{- range .Values.secretSettings }}
- name: {{ .variable }}
  valueFrom: { secretKeyRef: { name: {{ .name | quote }}, key: {{ .key | quote }} } }
{{- end }}
{{- end }}

{{- define "sluice.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "sluice.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{/* What would start and then lose data or disagree is refused before anything is installed. */}}
{{- define "sluice.check" -}}
{{- $several := or (gt (int .Values.replicas) 1) .Values.autoscaling.enabled }}
{{- if and $several (not .Values.database.urlSecret.name) }}
{{- fail "Several processes need PostgreSQL: set database.urlSecret.name." }}
{{- end }}
{{- if and .Values.database.urlSecret.name (not .Values.secretKeySecret.name) }}
{{- fail "Processes on PostgreSQL need the same secret key: set secretKeySecret.name." }}
{{- end }}
{{- if and .Values.ingress.enabled (not .Values.ingress.host) }}
{{- fail "Set ingress.host." }}
{{- end }}
{{- end }}
