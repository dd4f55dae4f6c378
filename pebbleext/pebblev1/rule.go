package pebblev1

import (
	"errors"

	"github.com/cockroachdb/pebble"

	"github.com/gravelkv/gravel/pebbleext/internal/pointread"
)

// tables tells the rule of lookups what filters a store's tables have: when the
// Reader is made, and in the background when tables have changed.
type tables struct {
	db         *pebble.DB
	opts       *pebble.Options
	rule       *pointread.Rule
	infos      map[pebble.FileNum]pebble.SSTableInfo // of the sample that is being taken
	sampler    pointread.Sampler
	background *pointread.Background
}

func newTables(s store, db *pebble.DB, opts *pebble.Options) *tables {
	t := &tables{db: db, opts: opts, rule: s.rule}
	t.sampler.Read = t.readHead
	t.background = pointread.NewBackground(t.sample)
	t.sample()
	return t
}

// sample tells the rule what the tables have.
func (t *tables) sample() {
	listed, err := t.list()
	if err != nil {
		return // the store is closed
	}
	t.infos = make(map[pebble.FileNum]pebble.SSTableInfo)
	levels := make([][]pointread.Table, len(listed))
	for level, infos := range listed {
		for _, info := range infos {
			levels[level] = append(levels[level], pointread.Table{
				File: uint64(info.FileNum), Size: info.Size, Remote: info.BackingType != pebble.BackingTypeLocal,
			})
			t.infos[info.FileNum] = info
		}
	}
	t.rule.SetFilters(t.sampler.Sample(levels, t.cacheSize(), 0))
	t.infos = nil
}

func (t *tables) cacheSize() int64 {
	if t.opts.Cache == nil {
		return 8 << 20 // Pebble's default
	}
	return t.opts.Cache.MaxSize()
}

// list lists tables. Pebble panics if the store is closed, even meanwhile.
func (t *tables) list(options ...pebble.SSTablesOption) (levels [][]pebble.SSTableInfo, err error) {
	defer func() {
		if recover() != nil {
			err = pebble.ErrClosed
		}
	}()
	if err := t.db.NewSnapshot().Close(); err != nil {
		return nil, err
	}
	return t.db.SSTables(options...)
}

var errGone = errors.New("the table has gone")

// readHead reads what a table says of its filters, by way of all tables that may
// have its first key.
func (t *tables) readHead(table pointread.Table) (head pointread.Head, err error) {
	first := t.infos[pebble.FileNum(table.File)].Smallest.UserKey
	levels, err := t.list(pebble.WithProperties(), pebble.WithKeyRangeFilter(first, append(first[:len(first):len(first)], 0)))
	if err != nil {
		return head, err
	}
	for _, infos := range levels {
		for _, info := range infos {
			if uint64(info.FileNum) != table.File {
				continue
			}
			p := info.Properties
			if _, readable := t.opts.Filters[p.FilterPolicyName]; readable {
				head.FilterShare = float64(p.FilterSize) / float64(max(info.Size, 1))
			} else {
				head.Lacks = true
			}
			return head, nil
		}
	}
	return head, errGone
}
