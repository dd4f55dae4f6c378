package micro

import (
	"fmt"

	"github.com/gravelkv/gravel/benchdb/internal/report"
)

// Samples implements report.Sampled, with one value of each figure.
func (r *Result) Samples() (all []report.Sample) {
	for _, b := range r.Builds {
		for _, row := range b.Rows {
			of := fmt.Sprintf("policy=%s/keys=%d", row.Policy, b.Keys)
			all = append(all, one(of, "bits/key", row.BitsPerKey), one(of, "FPR-%", 100*row.FPR.Rate))
			if row.Time != nil {
				all = append(all, one(of, "build-ns/key", row.Time.NS))
			}
			if row.PeakBytesPerKey != nil {
				all = append(all, one(of, "peak-B/key", *row.PeakBytesPerKey))
			}
		}
	}
	for _, q := range r.Queries {
		for _, row := range q.Rows {
			of := fmt.Sprintf("policy=%s/keys=%d/key-size=%d", row.Policy, q.Keys, q.KeySize)
			if q.ColdBytes > 0 {
				of += "/cold=" + report.Size(q.ColdBytes).String()
			}
			a := row.OneCore
			all = append(all, one(of, "absent-ns", a.Absent.NS), one(of, "absent-ratio", a.Absent.Ratio),
				one(of, "present-ns", a.Present.NS), one(of, "present-ratio", a.Present.Ratio))
		}
	}
	return all
}

func one(of, metric string, value float64) report.Sample {
	return report.Sample{Metric: metric, Of: of, Values: []float64{value}}
}
