package pointread

// Settled returns a Reader of the same tables in another store: it goes on in the
// ways that r has found best, and tries no others.
func (r *Reader) Settled(store Store, options Options) *Reader {
	return &Reader{store, options, &choices{
		get: r.choices.get.settled(), has: r.choices.has.settled(), many: r.choices.many.settled(),
	}}
}

func (c *chooser) settled() *chooser {
	s := &chooser{options: c.options, random: []Way{c.now()}}
	s.middle.Store(c.middle.Load())
	return s
}

// Way is that of Get, but for trials of others.
func (r *Reader) Way() Way { return r.choices.get.now() }

func (c *chooser) now() Way {
	if len(c.random) > 0 {
		return c.random[0]
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.best
}

// String names the filters that a way asks.
func (w Way) String() string {
	return [numWays]string{
		ByGet: "Get", ByIndexFilters: "index", ByUpperFilters: "upper+index", ByTableFilters: "tables",
		HalfByUpperFilters: "half of upper+index", HalfByTableFilters: "half of tables",
	}[w]
}
