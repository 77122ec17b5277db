// Package openapi keeps in the module what the code needs that oapi-codegen generates: types, a client
// and, by default, a server.
package openapi

import (
	_ "github.com/getkin/kin-openapi/openapi3"
	_ "github.com/labstack/echo/v4"
	_ "github.com/oapi-codegen/runtime"
)
