package blockfilter

// Verified is a family whose blocks are asked for all their keys.
func Verified(f Family, failed func(error)) Family { return verified{f, failed} }
