#!/bin/sh
# Puts what FROM/package-lock.json names into the folder TO, with a Node that runs it where the system's is
# too old. Without npm it takes that of Debian or Ubuntu. Usage: npm.sh FROM TO
set -eu

from=$(cd "$1" && pwd)
mkdir -p "$2"
cd "$2"
if ! command -v npm >/dev/null; then
	if ! command -v apt-get >/dev/null; then
		echo "please install: npm" >&2
		exit 1
	fi
	sudo=""
	[ "$(id -u)" = 0 ] || sudo="sudo"
	$sudo apt-get update -qq
	$sudo apt-get install -y -qq --no-install-recommends npm >/dev/null
fi
cp "$from/package.json" "$from/package-lock.json" .
npm ci --ignore-scripts --no-audit --no-fund --silent
if ! node -e 'const [a, b] = process.versions.node.split("."); process.exit(a == 20 && b >= 19 || a == 22 && b >= 12 || a > 22 ? 0 : 1)'; then
	npm install --no-save --no-audit --no-fund --silent node@22.23.3
fi
