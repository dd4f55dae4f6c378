package pebbleext

import (
	"fmt"
	"maps"
	"slices"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/objstorage/remote"

	"github.com/gravelkv/gravel/pebbleext/internal/ondisk"
)

// seal is what must stay in options between Apply and the store's opening.
type seal struct {
	comparer   string
	levels     [NumLevels]string // type and text
	readable   []string
	collectors []string
	remote     remote.StorageFactory
}

func sealOf(opts *pebble.Options) (s seal) {
	s.comparer = opts.Comparer.EnsureDefaults().Name
	for level := range s.levels {
		s.levels[level] = fmt.Sprintf("%T %[1]v", opts.Levels[level].FilterPolicy)
	}
	s.readable = slices.Collect(maps.Keys(opts.Filters))
	for _, construct := range opts.BlockPropertyCollectors {
		s.collectors = append(s.collectors, construct().Name())
	}
	s.remote = opts.Experimental.RemoteStorage
	return s
}

// check fails if something that Apply has set, or that it depends on, was
// changed.
func (s seal) check(opts *pebble.Options) error {
	now := sealOf(opts)
	for _, part := range []struct {
		option  string
		changed bool
	}{
		{"Comparer", now.comparer != s.comparer},
		{"Levels[].FilterPolicy", now.levels != s.levels},
		{"Filters", lacks(now.readable, s.readable)},
		{"BlockPropertyCollectors", lacks(now.collectors, s.collectors)},
		{"Experimental.RemoteStorage", now.remote != s.remote},
	} {
		if part.changed {
			return ondisk.As(ErrRefused, "Options.%s was changed after pebbleext.Apply; set it before", part.option)
		}
	}
	return nil
}

// lacks reports whether some wanted name is not there.
func lacks(names, wanted []string) bool {
	return slices.ContainsFunc(wanted, func(name string) bool { return !slices.Contains(names, name) })
}
