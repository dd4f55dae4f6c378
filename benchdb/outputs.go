package main

import (
	"errors"

	"github.com/gravelkv/gravel/benchdb/internal/workspace"
)

// outputs are the files of a command's results: every figure, and a page with
// charts. Either may be a file that is not wanted.
type outputs struct{ figures, page *workspace.File }

// createOutputs fails early, with the flag, if a file could not be written.
func createOutputs(json, html string) (o outputs, err error) {
	if o.figures, err = workspace.CreateFile(json); err != nil {
		return o, usagef("--json: %w", err)
	}
	if o.page, err = workspace.CreateFile(html); err != nil {
		_ = o.figures.Close() // err came first
		return o, usagef("--html: %w", err)
	}
	return o, nil
}

// Close removes what was not written.
func (o outputs) Close() error { return errors.Join(o.page.Close(), o.figures.Close()) }
