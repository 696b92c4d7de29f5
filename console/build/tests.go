package main

import (
	"errors"
	"path/filepath"

	"github.com/evanw/esbuild/pkg/api"
)

// bundleTests writes the tests of the console's modules that need no browser into a directory,
// for "node --test".
func bundleTests(console, dir string) error {
	tests, err := filepath.Glob(filepath.Join(console, "app", "*.test.ts"))
	if err != nil {
		return err
	}
	deeper, err := filepath.Glob(filepath.Join(console, "app", "*", "*.test.ts"))
	if err != nil {
		return err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	result := api.Build(api.BuildOptions{
		AbsWorkingDir:   console,
		EntryPoints:     append(tests, deeper...),
		Bundle:          true,
		Format:          api.FormatESModule,
		Platform:        api.PlatformBrowser, // as the copied libraries are built for
		External:        []string{"node:*"},
		JSX:             api.JSXAutomatic,
		Target:          api.ES2022,
		JSXImportSource: "preact",
		NodePaths:       []string{filepath.Join(console, "third_party")},
		Outbase:         "app",
		Outdir:          dir,
		OutExtension:    map[string]string{".js": ".mjs"},
		Sourcemap:       api.SourceMapInline,
		Write:           true,
		LogLevel:        api.LogLevelWarning,
	})
	if len(result.Errors) > 0 {
		return errors.New("the console's tests do not build")
	}
	return nil
}
