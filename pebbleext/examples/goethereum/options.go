// Package goethereum opens the stores of go-ethereum with Gravel's filters, by
// either version of Pebble that it links. The README has the changes to
// go-ethereum itself; these functions need none.
package goethereum

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/cockroachdb/pebble"
	pebblev2 "github.com/cockroachdb/pebble/v2"

	"github.com/gravelkv/gravel/pebbleext"
)

// Options returns the options that go-ethereum built for a store when it last
// opened it with Pebble v2 (ethdb/pebble.New): Pebble keeps them in the store's
// folder, all but loggers, listeners and functions.
func Options(dir string) (*pebblev2.Options, error) {
	text, err := optionsFile(dir)
	if err != nil {
		return nil, err
	}
	opts := &pebblev2.Options{}
	err = opts.Parse(text, &pebblev2.ParseHooks{NewFilterPolicy: pebbleext.PolicyNamed})
	return opts, err
}

// OptionsV1 is Options for Pebble v1 (ethdb/pebble.NewV1), but for filters: it
// leaves all levels without. The caller gives opts.Cache back (Unref) once the
// store is open.
func OptionsV1(dir string) (*pebble.Options, error) {
	text, err := optionsFile(dir)
	if err != nil {
		return nil, err
	}
	opts := &pebble.Options{}
	err = opts.Parse(text, &pebble.ParseHooks{NewCache: pebble.NewCache})
	return opts, err
}

// optionsFile returns the text of the newest OPTIONS file of a store.
func optionsFile(dir string) (string, error) {
	names, err := filepath.Glob(filepath.Join(dir, "OPTIONS-*"))
	if err != nil {
		return "", err
	}
	if len(names) == 0 {
		return "", fmt.Errorf("%s is no store of Pebble: it has no OPTIONS file", dir)
	}
	text, err := os.ReadFile(slices.Max(names))
	return string(text), err
}
