package replay

import (
	"context"
	"errors"
	"time"

	"github.com/gravelkv/gravel/benchdb/internal/policy"
	"github.com/gravelkv/gravel/benchdb/internal/store"
	"github.com/gravelkv/gravel/pebbleext/refilter"
)

// AsItIs names the filters that a store has.
const AsItIs = "as it is"

// Copy is the store with the filters of a policy, or as it is.
type Copy struct {
	*Overlaps
	Policy policy.Policy
	// Store is nil if there is no such copy: what it would be is forecast from the
	// tables of the store as it is.
	Store       *store.Store
	Description store.Description
}

// Open describes the store of a view, which must be closed, as it is.
func Open(v *View, o *Overlaps) (Copy, error) {
	return newCopy(v, o, policy.Policy{Text: AsItIs})
}

func newCopy(v *View, o *Overlaps, p policy.Policy) (Copy, error) {
	c := Copy{Overlaps: o, Policy: p, Store: store.Existing(v.dir, p, v.opts, o.truth)}
	var err error
	c.Description, err = c.Store.Describe()
	return c, err
}

// Forecast returns a copy that is not made: the tables as they are, with the
// filters that a policy is expected to write.
func (c Copy) Forecast(p policy.Policy) Copy { return Copy{Overlaps: c.Overlaps, Policy: p} }

// Refilter makes a copy with the filters of a policy.
func (c Copy) Refilter(ctx context.Context, v *View, dir string, p policy.Policy, progress func(bytes int64)) (made Copy, err error) {
	begin := time.Now()
	if err := c.Store.Copy(dir); err != nil {
		return Copy{}, err
	}
	told := int64(0)
	_, err = refilter.Run(ctx, dir, v.opts, p.Plan, refilter.Settings{Progress: func(r refilter.Report) {
		progress(r.DoneBytes - told)
		told = r.DoneBytes
	}})
	if err != nil {
		return Copy{}, err
	}
	elapsed := time.Since(begin)
	if v, err = OpenView(dir, v.opts); err != nil {
		return Copy{}, err
	}
	overlaps, err := v.Survey(ctx, c.keys)
	if err := errors.Join(err, v.Close()); err != nil {
		return Copy{}, err
	}
	made, err = newCopy(v, overlaps, p)
	made.Description.LoadSeconds = elapsed.Seconds()
	return made, err
}
