//go:build !amd64 || purego

package twochoice

func (o *optimizer) load(hashes []uint64) { o.loadGeneric(hashes) }
func (o *optimizer) stackPopular()        { o.stackPopularGeneric() }
func (o *optimizer) stackChosen()         { o.stackChosenGeneric() }
func (o *optimizer) round() mask          { return o.roundGeneric() }
