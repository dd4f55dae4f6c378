//go:build !amd64 || purego

package ribbon

// matches reports whether the columns of a complete block, which begins at a
// byte of data, and of the next one XOR to want.
func (r reach) matches(data []byte, at uint64, want uint32) bool {
	return r.matchesGeneric(data[at:], want)
}

// insertAll inserts the equations that are left of a part, whose starts are
// after slot first. It reports false if they contradict each other or those
// before.
func (b *band) insertAll(p *part, first uint64) bool { return b.insertAllGeneric(p, first) }

// solveBlock finds the slots from from on and before to in the columns of
// window, which has those of the 64 slots behind them.
func (b *band) solveBlock(from, to uint64, window []uint64) { b.solveBlockGeneric(from, to, window) }
