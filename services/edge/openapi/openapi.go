// Package openapi holds the OpenAPI document of Hub's REST interface.
package openapi

import _ "embed"

// Document is openapi.yaml: the contract in OpenAPI 3.1, written by hand. Callers must not change it.
//
//go:embed openapi.yaml
var Document []byte
