package metrics_test

import (
	"testing"

	prom "github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/pebbleext/metrics"
	"github.com/gravelkv/gravel/pebbleext/resident"
)

func TestResidentCollector(t *testing.T) {
	filters, err := resident.New(resident.Settings{Budget: 12345})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, filters.Close()) })
	registry := prom.NewPedanticRegistry()
	registry.MustRegister(metrics.NewResidentCollector(filters))
	families, err := registry.Gather()
	require.NoError(t, err)
	require.Len(t, families, 13)
	for _, family := range families {
		if family.GetName() == "gravel_resident_budget_bytes" {
			require.EqualValues(t, 12345, family.GetMetric()[0].GetGauge().GetValue())
		}
	}
}
