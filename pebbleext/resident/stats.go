package resident

// Stats are figures of the filters in memory. Those of queries are estimates
// from a sample and come up to a quarter of a second late.
type Stats struct {
	Budget int64 // bytes
	// Used is how many of these are taken, by Filters blocks and by what finds
	// them and other known filters.
	Used    int64
	Known   int // filters that tables of the store have
	Filters int // of these, in memory

	Queries  uint64 // by lookups that opened a table with a known filter
	Answered uint64 // of these, while the filter was in memory
	Denied   uint64 // of these, with "no": the table was not opened

	HandedOver uint64 // filters from writers of tables
	Loaded     uint64 // filters read from tables
	Restored   uint64 // filters read from the file of the last time
	Evicted    uint64 // filters that made way for others, or for a smaller budget
	Rejected   uint64 // blocks that were not those that their table names

	LoadedBytes uint64 // read from tables for that
}

// Stats returns the figures of now.
func (f *Filters) Stats() Stats {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.counts
	s.Budget = f.budget
	s.Used = int64(f.arena.used + entryBytes*f.directory.count)
	s.Known = f.directory.count
	s.Filters = len(f.arena.blocks)
	return s
}
