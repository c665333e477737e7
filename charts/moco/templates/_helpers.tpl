{{- define "moco.name" -}}
moco
{{- end }}

{{- define "moco.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{ include "moco.selectorLabels" . }}
{{- end }}

{{/* Those of MOCO's Deployment: a selector can't be changed. */}}
{{- define "moco.selectorLabels" -}}
app.kubernetes.io/name: {{ include "moco.name" . }}
app.kubernetes.io/component: moco-controller
{{- end }}

{{/* (repository, tag) as a reference, by tag or by digest. */}}
{{- define "moco.reference" -}}
{{- $tag := index . 1 | toString -}}
{{- printf "%s%s%s" (index . 0) (ternary "@" ":" (hasPrefix "sha256:" $tag)) $tag -}}
{{- end }}

{{/* An image of this project: (context, image, name). */}}
{{- define "moco.ownImage" -}}
{{- $context := index . 0 -}}
{{- $image := index . 1 -}}
{{- $repository := $image.repository | default (printf "%s/%s" (trimSuffix "/" $context.Values.imageRegistry) (index . 2)) -}}
{{- include "moco.reference" (list $repository ($image.tag | default $context.Chart.AppVersion)) -}}
{{- end }}

{{/* A flag of the controller for an image of others, if it is set: (image, flag). */}}
{{- define "moco.imageFlag" -}}
{{- $image := index . 0 -}}
{{- if $image.repository }}
            - --{{ index . 1 }}={{ include "moco.reference" (list $image.repository (required (printf "the image %s needs a tag" $image.repository) $image.tag)) }}
{{- end }}
{{- end }}
