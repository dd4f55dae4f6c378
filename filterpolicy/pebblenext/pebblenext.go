// Package pebblenext plugs Gravel's filters into versions of Pebble that split
// FilterPolicy into policy, writer and decoder, as its development branch does:
//
//	policy, err := pebblenext.Parse("twochoice:10", pebble.NoFilterPolicy)
//	…
//	decoder := pebblenext.NewDecoder(pebble.NoFilterPolicy)
//
// The policy is a pebble.TableFilterPolicy, which writes tables, and the
// decoder a pebble.TableFilterDecoder, which reads them and belongs in
// pebble.Options.TableFilterDecoders beside Pebble's own. Filters are those of
// package filterpolicy, under the same name, so tables of released versions
// stay readable with their filters, and the other way round.
//
// The package imports no version of Pebble: those types are in no release yet,
// and some of them have no exported name. It learns the types from Pebble's
// NoFilterPolicy: W is that of a policy's writers, F that of the names of
// filter families.
package pebblenext

import (
	"fmt"

	"github.com/gravelkv/gravel/blockfilter"
)

// Name is the name of all policies, and of the one family of blocks that they
// write, the same as in package filterpolicy.
const Name = blockfilter.PolicyName

// FilterPolicy has the methods of Pebble's TableFilterPolicy.
type FilterPolicy[W any] interface {
	Name() string
	NewWriter() W
}

// FilterWriter has the methods of Pebble's TableFilterWriter.
type FilterWriter[F ~string] interface {
	AddKey(key []byte)
	Finish() (block []byte, family F, ok bool)
}

// Parse reads the text form of a policy, such as bloom:10 or ribbon:0.5%, that
// the comment of package filterpolicy specifies. The last argument is Pebble's
// NoFilterPolicy, which is also what Parse returns for "none".
//
// An error names the word that is wrong and what would be right, or says that
// Pebble's writers have come to need methods that this package does not know.
func Parse[F ~string, W FilterWriter[F]](text string, none FilterPolicy[W]) (FilterPolicy[W], error) {
	if text == blockfilter.None {
		return none, nil
	}
	core, err := blockfilter.ParsePolicy(text)
	if err != nil {
		return nil, err
	}
	if _, ok := any((*writer[F])(nil)).(W); !ok {
		return nil, fmt.Errorf("policy %q: %T is no filter writer of this version of Pebble, which asks for more methods", text, (*writer[F])(nil))
	}
	return policy[F, W]{core}, nil
}

// policy is immutable and safe for concurrent use.
type policy[F ~string, W FilterWriter[F]] struct{ core blockfilter.Policy }

func (policy[F, W]) Name() string { return Name }

func (p policy[F, W]) NewWriter() W {
	return any(&writer[F]{block: p.core.NewWriter()}).(W)
}

// String returns the policy's text in its shortest form.
func (p policy[F, W]) String() string { return p.core.String() }

type writer[F ~string] struct {
	block *blockfilter.Writer
	used  bool // whether keys have been added
}

func (w *writer[F]) AddKey(key []byte) {
	w.block.AddKey(key)
	w.used = true
}

// Finish gives no filter to a table without keys, as Pebble's own writers do.
// It gives none either if the block denies one of its keys (verify=true).
func (w *writer[F]) Finish() (block []byte, family F, ok bool) {
	if !w.used {
		return nil, "", false
	}
	w.used = false
	if block = w.block.Finish(nil); len(block) == 0 {
		return nil, "", false
	}
	return block, Name, true
}

// Decoder is a TableFilterDecoder for blocks of all of Gravel's families. It is
// safe for concurrent use.
type Decoder[F ~string] struct{}

// NewDecoder returns the decoder for the version of Pebble whose NoFilterPolicy
// the argument is.
func NewDecoder[F ~string, W FilterWriter[F]](FilterPolicy[W]) Decoder[F] { return Decoder[F]{} }

// Family returns Name.
func (Decoder[F]) Family() F { return Name }

// MayContain answers for a block of any of Gravel's families and options, true
// if the block is malformed, and allocates nothing.
func (Decoder[F]) MayContain(filter, key []byte) bool {
	return blockfilter.MayContain(filter, key)
}
