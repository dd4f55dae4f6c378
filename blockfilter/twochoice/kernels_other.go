//go:build !amd64 || purego

package twochoice

func (o *optimizer) stackPopular() { o.stackPopularGeneric() }
func (o *optimizer) stackChosen()  { o.stackChosenGeneric() }
func (o *optimizer) round() mask   { return o.roundGeneric() }
