// Package goethereum opens the stores of go-ethereum with Gravel's filters, by
// either version of Pebble that it links. maintainers.diff changes
// go-ethereum itself; these functions need no change.
package goethereum

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/cockroachdb/pebble"

	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/pebblev1"
	"github.com/gravelkv/gravel/pebbleext/refilter"
)

// Open opens a store of go-ethereum with Pebble v2, the options that
// go-ethereum built, which Pebble keeps in the store's folder, and Gravel's
// filters. Its Get asks them, and those that go-ethereum wrote.
func Open(dir string) (*pebbleext.DB, error) {
	opts, err := refilter.StoredOptions(dir)
	if err != nil {
		return nil, err
	}
	return pebbleext.Open(dir, opts, pebbleext.Options{})
}

// OpenV1 is Open for stores of Pebble v1, with one policy for all levels.
func OpenV1(dir string, policy pebble.FilterPolicy) (*pebblev1.DB, error) {
	opts, err := OptionsV1(dir)
	if err != nil {
		return nil, err
	}
	defer opts.Cache.Unref()
	return pebblev1.Open(dir, opts, pebblev1.Uniform(policy))
}

// OptionsV1 returns the options that go-ethereum built for a store when it last
// opened it with Pebble v1 (ethdb/pebble.NewV1), but for filters: it leaves all
// levels without. The caller gives opts.Cache back (Unref) once the store is
// open. For Pebble v2 it is refilter.StoredOptions.
func OptionsV1(dir string) (*pebble.Options, error) {
	names, err := filepath.Glob(filepath.Join(dir, "OPTIONS-*"))
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s is no store of Pebble: it has no OPTIONS file", dir)
	}
	text, err := os.ReadFile(slices.Max(names))
	if err != nil {
		return nil, err
	}
	opts := &pebble.Options{}
	return opts, opts.Parse(string(text), &pebble.ParseHooks{NewCache: pebble.NewCache})
}
