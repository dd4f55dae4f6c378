package store

import (
	"encoding/gob"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gravelkv/gravel/benchdb/internal/policy"
)

// kept is what is known of a store and cannot be read from it. It lies beside the
// store, in a file.
type kept struct {
	Made    string // with which settings
	Seconds float64
	Built   BuildCost
	Blocks  map[uint64]*filterBlock
}

// truthFile ends the name of a kept store's file.
const truthFile = ".truth"

// made says what the records of a store and its tables follow from.
func (s Settings) made(p policy.Policy) string {
	return fmt.Sprintf("--records %d --value-size %d --key-size %d --split %d --seed %d --load %s, filters %s",
		s.Records, s.ValueSize, s.Keys, s.Split, s.Seed, s.Load, p.Plan.String())
}

// Keep moves a new store to a directory of the same file system, for Reopen.
func (s *Store) Keep(dir string) error {
	file, err := os.CreateTemp(filepath.Dir(s.Dir), "truth-")
	if err != nil {
		return err
	}
	err = gob.NewEncoder(file).Encode(kept{s.settings.made(s.Policy), s.seconds, s.truth.built, s.truth.blocks})
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	// A file without a store is replaced, so a store is always one with its file.
	if err := errors.Join(os.Rename(file.Name(), dir+truthFile), os.Rename(s.Dir, dir)); err != nil {
		return err
	}
	s.Dir = dir
	return nil
}

// Reopen returns a store that is kept in a directory, nil if there is none.
func Reopen(dir string, p policy.Policy, s Settings) (*Store, error) {
	file, err := os.Open(dir + truthFile)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var k kept
	if err := gob.NewDecoder(file).Decode(&k); err != nil {
		return nil, fmt.Errorf("%s: %w; remove the directory", file.Name(), err)
	}
	if k.Made != s.made(p) {
		return nil, fmt.Errorf("%s was made with %s; use these, or name another directory", dir, k.Made)
	}
	st := newStore(dir, p, s)
	st.seconds, st.truth = k.Seconds, &Truth{blocks: k.Blocks, built: k.Built}
	return st, nil
}
