#!/bin/sh
# Puts prometheus and promtool from Debian's or Ubuntu's package into the folder that is given. The
# package itself is not installed, since it would start a server.
set -eu

into=$(cd "$1" && pwd)
if ! command -v apt-get >/dev/null; then
	echo "please put prometheus and promtool, version 2.42 or newer, into $into" >&2
	exit 1
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
# The folder is this user's only, so the download cannot be another's.
download() { apt-get download -qq -o APT::Sandbox::User="$(id -un)" prometheus; }
if ! download 2>/dev/null; then
	sudo=""
	[ "$(id -u)" = 0 ] || sudo="sudo"
	$sudo apt-get update -qq
	download
fi
dpkg -x prometheus_*.deb .
cp usr/bin/prometheus usr/bin/promtool "$into"
