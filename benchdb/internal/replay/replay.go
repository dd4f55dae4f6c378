package replay

import (
	"context"
	"errors"
	"time"

	"github.com/gravelkv/gravel/benchdb/internal/policy"
	"github.com/gravelkv/gravel/benchdb/internal/store"
	"github.com/gravelkv/gravel/pebbleext/refilter"
)

// Copy is the store with the filters of a policy, or as it is.
type Copy struct {
	*Survey
	Store       *store.Store
	Description store.Description
}

// Open describes the store of a view, which must be closed, as it is.
func Open(v *View, s *Survey) (Copy, error) {
	return newCopy(v, s, policy.Policy{Text: policy.AsItIs})
}

func newCopy(v *View, s *Survey, p policy.Policy) (c Copy, err error) {
	c = Copy{Survey: s, Store: store.Existing(v.dir, p, v.opts, s.truth)}
	c.Description, err = c.Store.Describe()
	return c, err
}

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
	survey, err := v.Survey(ctx, c.keys)
	if err := errors.Join(err, v.Close()); err != nil {
		return Copy{}, err
	}
	made, err = newCopy(v, survey, p)
	made.Description.LoadSeconds = elapsed.Seconds()
	return made, err
}
