package checkpoint

import (
	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/gravelkv/gravel/pebbleext/internal/ondisk"
)

// Options returns options for opening a checkpoint: those of its store, as the
// OPTIONS file tells. In place of a merger that is not Pebble's they have one
// that joins operands, so a merged value may differ from what the store would
// give.
func Options(dir string) (*pebble.Options, error) {
	desc, err := ondisk.Peek(dir, vfs.Default)
	if err != nil {
		return nil, err
	}
	opts, err := ondisk.Options(desc, vfs.Default, ondisk.ReadingHooks())
	if err != nil {
		return nil, err
	}
	opts.FS = vfs.Default
	opts.FormatMajorVersion = desc.FormatMajorVersion
	opts.Unsafe.AllowMissingWALDirs = true // there is no log
	return opts, nil
}
