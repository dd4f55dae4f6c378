package goethereum

import (
	"github.com/cockroachdb/pebble"
	pebblev2 "github.com/cockroachdb/pebble/v2"

	filters "github.com/gravelkv/gravel/filterpolicy/pebblev1"
	"github.com/gravelkv/gravel/pebbleext"
	"github.com/gravelkv/gravel/pebbleext/pebblev1"
)

// Open opens a store of go-ethereum with Pebble v2, the options that
// go-ethereum built, and the filters of a level plan. The reader asks them, and
// those that go-ethereum wrote; close the store after use.
func Open(dir string, plan pebbleext.Plan) (*pebblev2.DB, *pebbleext.Reader, error) {
	opts, err := Options(dir)
	if err != nil {
		return nil, nil, err
	}
	pebbleext.Apply(opts, plan)
	db, err := pebblev2.Open(dir, opts)
	if err != nil {
		return nil, nil, err
	}
	return db, pebbleext.NewReader(db, opts.Comparer), nil
}

// OpenV1 is Open for stores of Pebble v1, with one policy for all levels.
func OpenV1(dir, policyText string) (*pebble.DB, *pebblev1.Reader, error) {
	opts, err := OptionsV1(dir)
	if err != nil {
		return nil, nil, err
	}
	defer opts.Cache.Unref()
	policy, err := filters.Parse(policyText)
	if err != nil {
		return nil, nil, err
	}
	var levels [7]pebble.FilterPolicy
	for level := range levels {
		levels[level] = policy
	}
	pebblev1.Apply(opts, levels)
	db, err := pebble.Open(dir, opts)
	if err != nil {
		return nil, nil, err
	}
	reader, err := pebblev1.NewReader(db, opts.Comparer)
	return db, reader, err // never an error after Apply
}
