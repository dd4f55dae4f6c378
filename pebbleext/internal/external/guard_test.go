package external_test

import (
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/pebbleext/internal/external"
)

// TestMayRename: all virtual tables may but those that stores share. A download
// makes an external one local, and it stays virtual.
func TestMayRename(t *testing.T) {
	for _, c := range []struct {
		virtual bool
		backing pebble.BackingType
		may     bool
	}{
		{true, pebble.BackingTypeExternal, true},
		{true, pebble.BackingTypeLocal, true},
		{true, pebble.BackingTypeShared, true},
		{true, pebble.BackingTypeSharedForeign, false},
		{false, pebble.BackingTypeExternal, false},
		{false, pebble.BackingTypeLocal, false},
	} {
		table := pebble.SSTableInfo{Virtual: c.virtual, BackingType: c.backing}
		require.Equal(t, c.may, external.MayRename(table), "%+v", c)
	}
}
