#!/bin/sh
# Lints the OpenAPI document, and generates clients from it in Go and TypeScript as those do who use it:
# with the generators' default settings. What they generate must compile.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
document=services/edge/openapi/openapi.yaml
cd "$root"
PATH=$root/bin/openapi/node_modules/.bin:$root/bin:$PATH
export REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

redocly lint --config tools/openapi/redocly.yaml "$document"
spectral lint --fail-severity hint --ruleset tools/openapi/spectral.yaml "$document"

oapi-codegen -package client -o "$work/client.go" "$document"
(cd tools/openapi && GOWORK=off go vet "$work/client.go")
grep -q '^type PushAction struct' "$work/client.go"

openapi-typescript "$document" -o "$work/client.d.ts"
tsc --noEmit --strict "$work/client.d.ts"
