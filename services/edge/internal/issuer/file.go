package issuer

import (
	"fmt"

	"example.com/hub/pkg/reload"
)

// openFile reads a settings file, which may change while Hub runs. Its errors name the setting.
func openFile[T any](f reload.File, d Deps, parse func([]byte) (T, error)) (*reload.Value[T], error) {
	return reload.Open(reload.Deps[T]{ //nolint:wrapcheck // it names the setting
		Files: []reload.File{f},
		Parse: func(content [][]byte) (T, error) {
			value, err := parse(content[0])
			if err != nil {
				return value, fmt.Errorf("%s: read %s: %w", f.Setting, f.Path, err)
			}
			return value, nil
		},
		Clock: d.Clock, Logger: d.Logger,
	})
}
