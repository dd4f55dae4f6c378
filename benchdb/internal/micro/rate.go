package micro

import "gonum.org/v1/gonum/stat/distuv"

// confidence is how often an interval holds the rate.
const confidence = 0.95

// Rate is a measured false-positive rate.
type Rate struct {
	AbsentKeys int     `json:"absent_keys"`
	Positives  int     `json:"positives"`
	Rate       float64 `json:"rate"`
	// Low and High bound the mean rate of the filters that were asked, with a
	// confidence of 95 %.
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// newRate sums up rounds, each with a filter of its own that was asked for
// absent keys. The interval is the exact one of Clopper and Pearson (1934); as
// filters differ a little, it errs on the wide side.
func newRate(positives []int, absent int) Rate {
	r := Rate{AbsentKeys: absent * len(positives), High: 1}
	for _, n := range positives {
		r.Positives += n
	}
	k, n := float64(r.Positives), float64(r.AbsentKeys)
	r.Rate = k / n
	if k > 0 {
		r.Low = distuv.Beta{Alpha: k, Beta: n - k + 1}.Quantile((1 - confidence) / 2)
	}
	if k < n {
		r.High = distuv.Beta{Alpha: k + 1, Beta: n - k}.Quantile((1 + confidence) / 2)
	}
	return r
}
