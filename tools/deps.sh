#!/bin/sh
# Installs what the tests need besides Go where it is missing: a C compiler for the race detector, curl,
# PostgreSQL, PgBouncer and Redis, and the packages that are given by the names of their programs. Debian and
# Ubuntu only; elsewhere it says what to install.
set -eu

missing=""
command -v cc >/dev/null || missing="$missing gcc libc6-dev"
for program in curl "$@"; do
	# A font is a package without a program.
	command -v "$program" >/dev/null || [ -e "/usr/share/doc/$program" ] || missing="$missing $program"
done
command -v redis-server >/dev/null || missing="$missing redis-server"
if ! command -v postgres >/dev/null && ! ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1; then
	missing="$missing postgresql"
fi
if ! command -v pgbouncer >/dev/null && ! [ -x /usr/sbin/pgbouncer ]; then
	missing="$missing pgbouncer"
fi
[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null; then
	echo "please install:$missing" >&2
	exit 1
fi
sudo=""
[ "$(id -u)" = 0 ] || sudo="sudo"
echo "installing:$missing" >&2
# The packages would start servers of their own; the tests bring theirs.
export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1
$sudo apt-get update -qq
# shellcheck disable=SC2086
$sudo apt-get install -y -qq --no-install-recommends $missing >/dev/null
