// Package keyrange builds and asks the filter of one data block's keys that
// tells whether any of them lies in a range: a few dozen bytes that are stored
// with the block's index entry, so that a scan that holds the entry learns
// whether the block can have a key of its range before it reads the block.
//
// A filter has what all keys of the block begin with, and for each key its cell
// among 2^b for each key, in order, as Elias and Fano write such numbers (P.
// Elias, "Efficient Storage and Retrieval by Content and Address of Static
// Files", JACM 1974): b+2 bits a key and 17 bytes a block, which is 11.7 bits
// with b = 7 and 47 decimal keys in a block (go test -run Rate -v).
//
// # Rate
//
// Of empty ranges that begin and end anywhere, 2^(1-b) or so pass: 1.6 % of
// those of that test, which has b = 7. Blocks of few keys let more pass. A
// range that begins or ends closer to a key than a cell is wide nearly always
// passes: no filter of so few bits tells a key from those right after it.
//
// The bytes of keys, after what all begin with, count as digits of a number,
// from the least byte of the block to the greatest. Cells are ranges of these
// numbers. So decimal and binary keys take the same bits. Where keys of a block
// crowd together, such as numbered items of a few folders, many share a cell,
// and ranges between them pass.
package keyrange

const (
	// MinBits and MaxBits bound the bits of a key's cell.
	MinBits = 4
	MaxBits = 16
	// maxKeys is the most keys that a filter is built for. A block of more keys
	// has none.
	maxKeys = 1 << 14
)

// The header: the length of what all keys begin with, the least and the
// greatest symbol after it, the shift from values to cells, the bits of a cell.
const headerSize = 5

// maxPrefix is the longest common beginning that the header has room for.
const maxPrefix = 255
