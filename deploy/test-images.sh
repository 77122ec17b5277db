#!/usr/bin/env bash
# Builds the image of each service, and that of the whole of Hub, around the binaries that make static has put
# into bin/static. It checks what the images say of themselves, and that the whole of Hub answers from one
# container. Then it runs the distributed shape in containers that are locked down as in Kubernetes, beside a
# PostgreSQL and a Redis, and checks there the contract, and that an edge and a hub end during traffic without
# a failed request.
#
# It needs podman, which it installs where it is missing (Debian, Ubuntu), and no registry. Everything
# listens on loopback, on the ports from HUB_TEST_PORT (28000) on. The images stay, the containers go.
set -euo pipefail
cd "$(dirname "$0")/.."

hubs=$(cd services && echo *hub)
services="edge $hubs"
version=${VERSION:-unknown}
port=${HUB_TEST_PORT:-28000}
arch=$(go env GOARCH)

install() {
	local missing="" program sudo=""
	for program in podman runc curl; do
		[ -n "$(type -P $program)" ] || missing="$missing $program"
	done
	[ -n "$missing" ] || return 0
	if ! command -v apt-get >/dev/null; then
		# Elsewhere podman brings a runtime of its own.
		[ "$missing" = " runc" ] && return
		echo "please install:$missing" >&2
		exit 1
	fi
	[ "$(id -u)" = 0 ] || sudo=sudo
	$sudo apt-get update -qq
	# shellcheck disable=SC2086
	$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
}

# runc also runs where the cgroups of both versions are mounted.
podman() {
	local runtime=()
	if [ -n "$(type -P runc)" ]; then
		runtime=(--runtime runc)
	fi
	command podman "${runtime[@]}" "$@"
}

build() {
	local s target
	cp /etc/ssl/certs/ca-certificates.crt bin/static/
	mkdir -p bin/static/data
	# Without the cache of layers, which in old versions gives one service the labels of another.
	for s in $services hub; do
		target=prebuilt
		[ "$s" != hub ] || target=prebuilt-hub
		podman build --quiet --layers=false --platform "linux/$arch" --target "$target" --file deploy/Dockerfile \
			--ignorefile deploy/Dockerfile.dockerignore --build-arg SERVICE="$s" --build-arg VERSION="$version" \
			--build-arg REVISION="$(git rev-parse HEAD)" --tag "localhost/hub/$s:$version" . >/dev/null
	done
}

fail() {
	echo "test-images: $*" >&2
	exit 1
}

# same NAME GOT WANT
same() {
	[ "$2" = "$3" ] || fail "$1 is '$2', not '$3'"
}

inspect() {
	local s image
	for s in $services hub; do
		image=localhost/hub/$s:$version
		label() { podman image inspect --format "{{index .Config.Labels \"org.opencontainers.image.$1\"}}" "$image"; }
		same "user of $s" "$(podman image inspect --format '{{.Config.User}}' "$image")" 65532:65532
		same "entry of $s" "$(podman image inspect --format '{{.Config.Entrypoint}} {{.Config.Cmd}}' "$image")" "[/service] $(command_of "$s")"
		same "architecture of $s" "$(podman image inspect --format '{{.Architecture}}' "$image")" "$arch"
		same "title of $s" "$(label title)" "hub-$s"
		same "version of $s" "$(label version)" "$version"
		same "revision of $s" "$(label revision)" "$(git rev-parse HEAD)"
		same "version of the binary $s" "$(locked run --rm "$image" --version | cut -d ' ' -f 1-2)" "$s $version"
	done
}

# command_of SERVICE is the default command of its image.
command_of() {
	if [ "$1" = hub ]; then echo "[]"; else echo "[serve]"; fi
}

# alone runs the whole of Hub in one container, as the README does.
alone() {
	locked run --detach --name "$prefix-hub" --volume "$prefix-hub:/data" --env "HUB_HTTP_ADDR=127.0.0.1:$((port + 50))" \
		--env "HUB_GRPC_ADDR=127.0.0.1:$((port + 51))" "localhost/hub/hub:$version" >/dev/null
	eventually answers $((port + 50))/docs || fail "the whole of Hub does not answer"
	HUB_TARGET_URL=http://127.0.0.1:$((port + 50)) go test -count=1 -run TestDeployment/envelope ./contract
	podman stop --time 30 "$prefix-hub" >/dev/null
	same "exit code of hub" "$(podman container inspect --format '{{.State.ExitCode}}' "$prefix-hub")" 0
}

# locked COMMAND ARGUMENT... is podman create or run with what the manifests ask of a container.
locked() {
	local command=$1
	shift
	podman "$command" --network host --read-only --cap-drop ALL --security-opt no-new-privileges \
		--ulimit nofile=4096:4096 --ulimit nproc=4096:4096 "$@"
}

# start SERVICE REPLICA NUMBER NAME=VALUE... starts a replica that is ready later. It has the ports by its
# number: that for callers, and a hundred higher the admin port.
start() {
	local service=$1 name=$1-$2 public=127.0.0.1:$((port + $3)) admin=127.0.0.1:$((port + 100 + $3)) settings=() setting
	numbers+=("$3")
	shift 3
	for setting in "HUB_HTTP_ADDR=$public" "HUB_GRPC_ADDR=$public" "HUB_ADMIN_ADDR=$admin" "HUB_PUBLIC_URL=$issuer" \
		"HUB_REDIS_URL=$HUB_TEST_REDIS" "HUB_INTERNAL_KEY_FILE=$run/internal-key" HUB_LOG_LEVEL=warn HUB_DRAIN_DELAY=2s "$@"; do
		settings+=(--env "$setting")
	done
	locked run --detach --name "$prefix-$name" --volume "$run:$run:ro" --volume "$sockets:$sockets" "${settings[@]}" \
		"localhost/hub/$service:$version" >/dev/null
}

# eventually COMMAND... tries for half a minute.
eventually() {
	local i
	for ((i = 0; i < 150; i++)); do
		if "$@"; then
			return
		fi
		sleep 0.2
	done
	return 1
}

answers() {
	curl --silent --fail --max-time 2 --output /dev/null "http://127.0.0.1:$1"
}

shape() {
	local s n first=0 numbers=() targets=() psql="psql --quiet --no-psqlrc --set ON_ERROR_STOP=1"
	issuer=http://127.0.0.1:$((port + 1))

	# The user of the images is neither that of PostgreSQL nor that of Redis.
	postgres=${HUB_TEST_POSTGRES#*host=}
	postgres=${postgres%% *}
	redis=${HUB_TEST_REDIS#unix://}
	sockets=$(dirname "$redis")
	chmod 0711 "$postgres"
	chmod 0777 "$redis"

	locked run --rm "localhost/hub/edge:$version" new-key >"$run/signing-keys.pem"
	head -c 32 /dev/urandom | sha256sum | cut -c 1-64 >"$run/internal-key"
	cp deploy/k8s/overlays/dev/clients.json "$run/"
	chmod 0644 "$run"/*
	for s in $hubs; do
		$psql "$HUB_TEST_POSTGRES" --command "CREATE DATABASE $s"
		locked run --rm --volume "$sockets:$sockets" --env "HUB_DATABASE_URL=host=$postgres user=hub dbname=$s" \
			"localhost/hub/$s:$version" migrate
	done

	for s in $hubs; do
		first=$((first + 10))
		targets+=("HUB_${s^^}_TARGET=127.0.0.1:$((port + first + 1)),127.0.0.1:$((port + first + 2))")
		for n in 1 2; do
			start "$s" $n $((first + n)) "HUB_DATABASE_URL=host=$postgres user=hub dbname=$s" \
				"HUB_JWKS_URL=$issuer/.well-known/jwks.json"
		done
	done
	for n in 1 2; do
		start edge $n $n "${targets[@]}" "HUB_CLIENTS_FILE=$run/clients.json" \
			"HUB_SIGNING_KEYS_FILE=$run/signing-keys.pem" HUB_DRAIN_SPREAD=1s HUB_HEARTBEAT_INTERVAL=2s
	done
	for n in "${numbers[@]}"; do
		eventually answers $((port + 100 + n))/livez || fail "the process of port $((port + n)) does not live"
		eventually answers $((port + 100 + n))/readyz || fail "the process of port $((port + n)) is not ready"
	done
	echo "two replicas of each image are ready"

	HUB_TARGET_URL=http://127.0.0.1:$((port + 2)) HUB_TARGET_HEARTBEAT=2s go test -count=1 ./contract
	graceful "todohub-1"
	graceful "edge-1"
}

# graceful NAME ends a container during traffic.
graceful() {
	token=$(curl --silent --fail "http://127.0.0.1:$((port + 2))/api/login/oauth/token" --data grant_type=client_credentials \
		--data client_id=portal --data client_secret=portal-secret --data scope=client | sed 's/.*"access_token":"\([^"]*\)".*/\1/')
	: >"$run/statuses"
	calls &
	traffic=$!
	eventually counted 20 || fail "no traffic"
	podman stop --time 30 "$prefix-$1" >/dev/null
	same "exit code of $1" "$(podman container inspect --format '{{.State.ExitCode}}' "$prefix-$1")" 0
	eventually counted $(($(wc -l <"$run/statuses") + 20)) || fail "the traffic stopped with $1"
	kill "$traffic"
	wait "$traffic" 2>/dev/null || true
	traffic=""
	if grep --invert-match --quiet '^200$' "$run/statuses"; then
		fail "calls failed while $1 ended: $(sort "$run/statuses" | uniq -c | tr '\n' ';')"
	fi
	echo "$1 ended during $(wc -l <"$run/statuses") calls, none of which failed"
}

counted() {
	[ "$(wc -l <"$run/statuses")" -ge "$1" ]
}

# calls reads through an edge that is ready, as a load balancer would, and notes the statuses.
calls() {
	local n area
	while true; do
		for n in 1 2; do
			answers $((port + 100 + n))/readyz || continue
			for area in "todo-hub/todos?assigneeUsername=ann" "message-hub/inbox?username=ann"; do
				curl --silent --max-time 10 --output /dev/null --write-out '%{http_code}\n' \
					--header "Authorization: Bearer $token" "http://127.0.0.1:$((port + n))/$area" >>"$run/statuses" || true
			done
		done
	done
}

cleanup() {
	local code=$? name
	[ -z "$traffic" ] || kill "$traffic" || true
	for name in $(podman container ls --all --quiet --filter "name=^$prefix-"); do
		[ $code = 0 ] || podman container logs --tail 20 "$name" >&2 || true
		podman container rm --force --time 5 "$name" >/dev/null || true
	done
	podman volume rm --force "$prefix-hub" >/dev/null || true
	rm -rf "$run"
}

if [ "${1:-}" != beside-deps ]; then
	install
	build
	inspect
	tools/deps.sh
	exec bin/withdeps "$0" beside-deps
fi
prefix=hub-test-$$
traffic=""
run=$(mktemp -d)
chmod 0755 "$run"
trap cleanup EXIT
alone
shape
