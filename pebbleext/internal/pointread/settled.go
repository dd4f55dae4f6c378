package pointread

// Settled returns a Reader of the same tables in another store: it goes on in the
// ways that r has found best, and tries no others.
func (r *Reader) Settled(store Store, options Options) *Reader {
	return &Reader{store, options, &choices{
		get: r.choices.get.settled(), has: r.choices.has.settled(), many: r.choices.many.settled(),
	}}
}

func (c *chooser) settled() *chooser {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := &chooser{options: c.options, random: []Way{c.now()}, keys: c.keys}
	s.setBorder(s.random[0])
	return s
}

// Way is that of Get, but for trials of others.
func (r *Reader) Way() Way {
	c := r.choices.get
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now()
}

func (c *chooser) now() Way {
	if len(c.random) > 0 {
		return c.random[0]
	}
	return c.best
}
