{{- define "pvc-autoresizer.name" -}}
{{- .Values.nameOverride | default .Chart.Name | trunc 63 | trimSuffix "-" }}
{{- end }}

{{/* The release's name, with the chart's in it. */}}
{{- define "pvc-autoresizer.fullname" -}}
{{- $name := include "pvc-autoresizer.name" . -}}
{{- $joined := contains $name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name $name) -}}
{{- .Values.fullnameOverride | default $joined | trunc 52 | trimSuffix "-" }}
{{- end }}

{{/* Of everything that belongs to the program. */}}
{{- define "pvc-autoresizer.controller" -}}
{{- include "pvc-autoresizer.fullname" . }}-controller
{{- end }}

{{- define "pvc-autoresizer.webhookConfiguration" -}}
{{- include "pvc-autoresizer.fullname" . }}-mutating-webhook-configuration
{{- end }}

{{- define "pvc-autoresizer.serviceAccount" -}}
{{- .Values.serviceAccount.name | default (include "pvc-autoresizer.controller" .) }}
{{- end }}

{{- define "pvc-autoresizer.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 }}
app.kubernetes.io/name: {{ include "pvc-autoresizer.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{/* A Deployment's selector can't be changed: this one is what it always was. */}}
{{- define "pvc-autoresizer.selectorLabels" -}}
app.kubernetes.io/name: pvc-autoresizer
{{- end }}

{{- define "pvc-autoresizer.image" -}}
{{- $repository := .Values.image.repository | default (printf "%s/pvc-autoresizer" (trimSuffix "/" .Values.imageRegistry)) -}}
{{- $tag := .Values.image.tag | default .Values.image.reference | default .Chart.AppVersion | toString | trimPrefix ":" | trimPrefix "@" -}}
{{- printf "%s%s%s" $repository (ternary "@" ":" (hasPrefix "sha256:" $tag)) $tag -}}
{{- end }}

{{/* Whether somebody else looks after the webhook's certificate. */}}
{{- define "pvc-autoresizer.hasGivenCertificate" -}}
{{- if or .Values.webhook.caBundle .Values.webhook.existingCertManagerIssuer }}true{{ end }}
{{- end }}

{{/* A binding to the role of the same name, for the program: (context, name, namespace of a RoleBinding, kind of the role). */}}
{{- define "pvc-autoresizer.binding" -}}
{{- $context := index . 0 -}}
{{- $namespace := index . 2 -}}
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ $namespace | empty | ternary "ClusterRoleBinding" "RoleBinding" }}
metadata:
  name: {{ index . 1 }}
  {{- with $namespace }}
  namespace: {{ . }}
  {{- end }}
  labels: {{- include "pvc-autoresizer.labels" $context | nindent 4 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: {{ index . 3 }}
  name: {{ index . 1 }}
subjects:
  - kind: ServiceAccount
    name: {{ include "pvc-autoresizer.serviceAccount" $context }}
    namespace: {{ $context.Release.Namespace }}
{{- end }}
