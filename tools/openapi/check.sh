#!/bin/sh
# Lints the OpenAPI document, and generates clients from it in Go and TypeScript as those do who use it:
# with the generators' default settings. What they generate must compile, and work with a Hub.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
document=services/edge/openapi/openapi.yaml
cd "$root"
PATH=$root/bin/openapi/node_modules/.bin:$root/bin:$PATH
export REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true
work=$(mktemp -d)
hub=
trap '[ -z "$hub" ] || { kill "$hub" && wait "$hub"; } || true; rm -r "$work"' EXIT

redocly lint --config tools/openapi/redocly.yaml "$document"
spectral lint --fail-severity hint --ruleset tools/openapi/spectral.yaml "$document"

oapi-codegen -package main -o "$work/client.go" "$document"
cp tools/openapi/use.go tools/openapi/use.ts "$work"
(cd tools/openapi && GOWORK=off go vet "$work/client.go" "$work/use.go" && GOWORK=off go build -o "$work/use" "$work/client.go" "$work/use.go")
grep -q '^type PushAction struct' "$work/client.go"

openapi-typescript "$document" -o "$work/client.d.ts"
tsc --strict --target es2022 --module nodenext --moduleResolution nodenext --lib es2022,dom --outDir "$work" "$work/use.ts"

go build -o "$work/hub" ./services/allinone/cmd/hub
HUB_HTTP_ADDR=127.0.0.1:0 HUB_GRPC_ADDR=127.0.0.1:0 HUB_DATA_DIR=$work/data "$work/hub" >"$work/log" 2>&1 &
hub=$!
until grep -qs 'REST and streams' "$work/log"; do
	sleep 0.1
	kill -0 "$hub" || { cat "$work/log"; exit 1; }
done
url=$(sed -n 's/^ *REST and streams *//p' "$work/log")
"$work/use" "$url"
node "$work/use.js" "$url"
