#!/bin/sh
# Checks the JavaScript and CSS of the portal and of its client: their types, what no page may have, the tests
# of the client with a real Hub, and the package that npm makes of it.
set -eu

root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$root"
PATH=$root/bin/web/node_modules/.bin:$PATH
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT

tsc -p tools/web
node tools/web/forbidden.js web

go build -o "$work/hub" ./services/allinone/cmd/hub
HUB_BINARY=$work/hub node --test web/client/test/*.test.js

# Somebody else's project, which has the package and checks its own types with it.
npm pack --silent --pack-destination "$work" ./web/client >/dev/null
mkdir -p "$work/use/node_modules/hub-client"
tar -xzf "$work"/hub-client-*.tgz -C "$work/use/node_modules/hub-client" --strip-components 1
cp tools/web/use.ts "$work/use"
printf '{"type": "module"}' >"$work/use/package.json"
(cd "$work/use" && tsc --strict --target es2023 --module nodenext --lib es2023,dom,dom.iterable --types '' use.ts)
node "$work/use/use.js"
