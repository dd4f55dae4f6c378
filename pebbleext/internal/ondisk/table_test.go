package ondisk_test

import (
	"errors"
	"io/fs"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/objstorage"
	"github.com/cockroachdb/pebble/v2/objstorage/remote"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/pebbleext/internal/ondisk"
	"github.com/gravelkv/gravel/pebbleext/internal/storetest"
)

// errOwn is an error of an object storage, which tells it in its own way.
var errOwn = errors.New("404")

// TestTableThatIsGone reads a table that the store removes meanwhile, or whose
// object is gone. That is told from a table that is damaged.
func TestTableThatIsGone(t *testing.T) {
	local := vfs.NewMem()
	for name, edit := range map[string]func(*pebble.Options){
		"local": func(opts *pebble.Options) { opts.FS = local },
		"remote": func(opts *pebble.Options) {
			opts.Experimental.RemoteStorage = remote.MakeSimpleFactory(map[remote.Locator]remote.Storage{
				"": ownErrors{remote.NewInMem()},
			})
			opts.Experimental.CreateOnShared = remote.CreateOnSharedAll
		},
	} {
		t.Run(name, func(t *testing.T) {
			opts := storetest.Options(vfs.NewMem(), filterpolicy.Bloom(10))
			edit(opts)
			db := storetest.Open(t, "", opts)
			t.Cleanup(func() { require.NoError(t, db.Close()) })
			if name == "remote" {
				require.NoError(t, db.SetCreatorID(1))
			}
			storetest.Fill(t, db, 300, 20)
			tables, err := ondisk.Tables(db)
			require.NoError(t, err)
			number := uint64(tables[6][0].BackingSSTNum)
			fail := func(err error, do func()) error {
				return ondisk.WithTable(t.Context(), db, opts, number, func(objstorage.Readable, *sstable.Reader) error {
					do()
					return err
				})
			}
			nothing := func() {}
			require.NoError(t, fail(nil, nothing))
			require.NotErrorIs(t, fail(errors.New("damaged"), nothing), fs.ErrNotExist)
			require.Equal(t, name == "remote", errors.Is(fail(errOwn, nothing), fs.ErrNotExist))
			if name == "local" {
				repair := damage(t, local, tables[6][0])
				require.NotErrorIs(t, fail(nil, nothing), fs.ErrNotExist)
				require.Error(t, fail(nil, nothing))
				repair()
			}
			require.ErrorIs(t, fail(errors.New("another reason"), func() {
				require.NoError(t, db.Set([]byte("key00000"), nil, nil))
				storetest.CompactAll(t, db, []byte("a"), []byte("z"))
				require.Eventually(t, func() bool {
					_, err := db.ObjProvider().Lookup(2, tables[6][0].BackingSSTNum)
					return err != nil
				}, 5*time.Second, time.Millisecond)
			}), fs.ErrNotExist)
		})
	}
}

type ownErrors struct{ remote.Storage }

func (ownErrors) IsNotExistError(err error) bool { return errors.Is(err, errOwn) }

// damage overwrites the end of a table's footer until it is repaired.
func damage(t *testing.T, files vfs.FS, table pebble.SSTableInfo) (repair func()) {
	file, err := files.OpenReadWrite(table.FileNum.String()+".sst", vfs.WriteCategoryUnspecified)
	require.NoError(t, err)
	intact := make([]byte, 30)
	offset := int64(table.Size) - int64(len(intact))
	_, err = file.ReadAt(intact, offset)
	require.NoError(t, err)
	write := func(b []byte) {
		_, err := file.WriteAt(b, offset)
		require.NoError(t, err)
	}
	write(make([]byte, len(intact)))
	return func() {
		write(intact)
		require.NoError(t, file.Close())
	}
}
