package metrics_test

import (
	"strings"
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
	require.Len(t, families, 14+8)
	for _, family := range families {
		if strings.HasPrefix(family.GetName(), "gravel_resident_level_") {
			require.Len(t, family.GetMetric(), 7)
		}
		if family.GetName() == "gravel_resident_budget_bytes" {
			require.EqualValues(t, 12345, family.GetMetric()[0].GetGauge().GetValue())
		}
	}
}
