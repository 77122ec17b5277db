module example.com/hub/clients/hubctl

go 1.26.0

require (
	example.com/hub/clients/go v0.0.0-00010101000000-000000000000
	example.com/hub/contract v0.0.0-00010101000000-000000000000
	example.com/hub/pkg v0.0.0-00010101000000-000000000000
	github.com/mattn/go-runewidth v0.0.31
	github.com/spf13/cobra v1.10.2
	golang.org/x/term v0.46.0
	google.golang.org/grpc v1.85.0
)

require (
	example.com/hub/proto v0.0.0-00010101000000-000000000000 // indirect
	github.com/clipperhouse/uax29/v2 v2.2.0 // indirect
	github.com/coder/websocket v1.8.15 // indirect
	github.com/getkin/kin-openapi v0.152.0 // indirect
	github.com/go-openapi/jsonpointer v0.22.5 // indirect
	github.com/go-openapi/swag/jsonname v0.25.5 // indirect
	github.com/google/go-cmp v0.7.0 // indirect
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/oasdiff/yaml v0.1.1 // indirect
	github.com/oasdiff/yaml3 v0.0.14 // indirect
	github.com/rogpeppe/go-internal v1.16.0 // indirect
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3 // indirect
	github.com/spf13/pflag v1.0.9 // indirect
	golang.org/x/net v0.60.0 // indirect
	golang.org/x/oauth2 v0.37.0 // indirect
	golang.org/x/sys v0.48.0 // indirect
	golang.org/x/text v0.42.0 // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260928230214-8a89bd6388cc // indirect
	google.golang.org/protobuf v1.36.12 // indirect
)

replace (
	example.com/hub/clients/go => ../go
	example.com/hub/contract => ../../contract
	example.com/hub/pkg => ../../pkg
	example.com/hub/proto => ../../proto
)
