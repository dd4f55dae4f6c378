package analysis

import (
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"
)

// subsets returns the bit masks that one key may set: all equally likely, with
// repetition.
func subsets(f Model, m, k int) []int {
	masks := []int{0}
	for range k {
		var longer []int
		for _, mask := range masks {
			for bit := range m {
				if f == Standard || mask&(1<<bit) == 0 {
					longer = append(longer, mask|1<<bit)
				}
			}
		}
		masks = longer
	}
	return masks
}

// unions returns every filter of n of the keys, all equally likely.
func unions(keys []int, n int) []int {
	filters := []int{0}
	for range n {
		var next []int
		for _, filter := range filters {
			for _, key := range keys {
				next = append(next, filter|key)
			}
		}
		filters = next
	}
	return filters
}

func onesCount(mask int) float64 { return float64(bits.OnesCount(uint(mask))) }

// positives is the share of keys that filters contain.
func positives(filters, keys []int) float64 {
	count := 0
	for _, filter := range filters {
		for _, key := range keys {
			if key&^filter == 0 {
				count++
			}
		}
	}
	return float64(count) / float64(len(filters)*len(keys))
}

func TestRateAndOnesByEnumeration(t *testing.T) {
	for _, c := range [][3]int{{2, 1, 1}, {2, 3, 2}, {3, 2, 2}, {4, 3, 2}, {5, 2, 2}, {3, 2, 3}, {5, 2, 3}} {
		m, n, k := c[0], c[1], c[2]
		for _, model := range models {
			keys := subsets(model, m, k)
			filters := unions(keys, n)
			sum, squares := 0.0, 0.0
			for _, filter := range filters {
				ones := onesCount(filter)
				sum, squares = sum+ones, squares+ones*ones
			}
			total := float64(len(filters))
			require.InEpsilon(t, positives(filters, keys), model.Rate(m, n, k), 1e-12)
			mean, variance := Ones(model, m, n, k)
			require.InEpsilon(t, sum/total, mean, 1e-12)
			require.InDelta(t, squares/total-sum*sum/total/total, variance, 1e-12)
		}
	}
}

func TestCommonOnesByEnumeration(t *testing.T) {
	const m, k = 4, 2
	total, sum, squares := 0.0, 0.0, 0.0
	keys := subsets(Standard, m, k)
	for _, first := range unions(keys, 2) {
		for _, second := range keys {
			for _, third := range keys {
				ones := onesCount(first & second & third)
				total, sum, squares = total+1, sum+ones, squares+ones*ones
			}
		}
	}
	mean, variance := CommonOnes(m, k, 2, 1, 1)
	require.InEpsilon(t, sum/total, mean, 1e-12)
	require.InEpsilon(t, squares/total-sum*sum/total/total, variance, 1e-12)

	ones, spread := Ones(Standard, 1000, 90, 7)
	mean, variance = CommonOnes(1000, 7, 90)
	require.InEpsilon(t, ones, mean, 1e-12)
	require.InEpsilon(t, spread, variance, 1e-9)
}
