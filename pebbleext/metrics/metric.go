package metrics

import "github.com/prometheus/client_golang/prometheus"

// metric is a figure of statistics S.
type metric[S any] struct {
	description *prometheus.Desc
	kind        prometheus.ValueType
	value       func(S) float64
}

func gauge[S any](name, help string, value func(S) float64, labels ...string) metric[S] {
	return metric[S]{prometheus.NewDesc(name, help, labels, nil), prometheus.GaugeValue, value}
}

func count[S any](name, help string, value func(S) uint64, labels ...string) metric[S] {
	return metric[S]{prometheus.NewDesc(name, help, labels, nil), prometheus.CounterValue,
		func(s S) float64 { return float64(value(s)) }}
}

func describe[S any](all []metric[S], to chan<- *prometheus.Desc) {
	for _, m := range all {
		to <- m.description
	}
}

func collect[S any](all []metric[S], s S, to chan<- prometheus.Metric, labels ...string) {
	for _, m := range all {
		to <- prometheus.MustNewConstMetric(m.description, m.kind, m.value(s), labels...)
	}
}
