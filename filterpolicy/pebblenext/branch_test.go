package pebblenext_test

// What follows are the declarations of Pebble's development branch that the
// package is made for (internal/base/options.go), with an unexported name where
// the branch exports none from package pebble.

type tableFilterFamily string

type tableFilterWriter interface {
	AddKey(key []byte)
	Finish() (_ []byte, _ tableFilterFamily, ok bool)
}

type TableFilterPolicy interface {
	Name() string
	NewWriter() tableFilterWriter
}

type TableFilterDecoder interface {
	Family() tableFilterFamily
	MayContain(filter, key []byte) bool
}

var NoFilterPolicy TableFilterPolicy = noFilter{}

type noFilter struct{}

func (noFilter) Name() string                 { return "none" }
func (noFilter) NewWriter() tableFilterWriter { panic("no filters") }
