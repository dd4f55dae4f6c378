package theory

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

var models = []Model{Standard, Classic}

// eachSmall visits filters small enough for exact fractions, within the domain
// of the bounds if bounded.
func eachSmall(t *testing.T, bounded bool, visit func(t *testing.T, m, n, k int)) {
	for _, m := range []int{2, 3, 5, 8, 13, 64, 100} {
		for _, n := range []int{1, 2, 3, 7, 20, 50} {
			for _, k := range []int{1, 2, 3, 5, 8, 13, 20} {
				if k > m || bounded && k > (m-1)/2 {
					continue
				}
				t.Run(fmt.Sprintf("m=%d/n=%d/k=%d", m, n, k), func(t *testing.T) { visit(t, m, n, k) })
			}
		}
	}
}

func TestRateAgreesWithExactAndRecursion(t *testing.T) {
	eachSmall(t, false, func(t *testing.T, m, n, k int) {
		for _, model := range models {
			exact, _ := model.Exact(m, n, k).Float64()
			require.InEpsilon(t, exact, model.Rate(m, n, k), 1e-12, model)
			require.InEpsilon(t, exact, model.Recursion(m, n, k), 1e-14, model)
		}
	})
}

// Many keys take the squared transition matrix.
func TestRateOfManyKeys(t *testing.T) {
	for _, model := range models {
		require.InEpsilon(t, model.Recursion(100_000, 10_000, 7), model.Rate(100_000, 10_000, 7), 1e-10, model)
	}
}

func TestBounds(t *testing.T) {
	const slack = 1 + 1e-12 // equal bounds differ by rounding
	eachSmall(t, true, func(t *testing.T, m, n, k int) {
		standard, classic := Standard.Rate(m, n, k), Classic.Rate(m, n, k)
		require.LessOrEqual(t, BoundL(m, n, k), slack*standard)
		require.LessOrEqual(t, BoundL(m, n, k), slack*classic)
		require.LessOrEqual(t, standard, slack*BoundU(m, n, k))
		require.LessOrEqual(t, classic, slack*BoundU(m, n, k))
		require.LessOrEqual(t, BoundM(m, n, k), slack*standard)
		require.LessOrEqual(t, BloomRate(float64(m)/float64(n), k), slack*BoundM(m, n, k))
	})
}

func TestTaylor(t *testing.T) {
	for _, c := range [][3]int{{1000, 100, 7}, {10_000, 1000, 7}, {10_000, 500, 14}, {100_000, 10_000, 7}} {
		m, n, k := c[0], c[1], c[2]
		probesSquared := float64(k * k)
		tolerance := 0.01 * probesSquared * probesSquared / float64(m*m)
		require.InEpsilon(t, Standard.Rate(m, n, k), Taylor(m, n, k), tolerance)
		require.Greater(t, Standard.Rate(m, n, k)/BoundM(m, n, k)-1, 20*tolerance, "worth more than no correction")
	}
}

// subsets returns the bit masks that one key may set: all equally likely, with
// repetition.
func (f Model) subsets(m, k int) []int {
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

// filters returns every filter of n keys, all equally likely.
func (f Model) filters(m, n, k int) []int {
	filters := []int{0}
	for range n {
		var next []int
		for _, filter := range filters {
			for _, mask := range f.subsets(m, k) {
				next = append(next, filter|mask)
			}
		}
		filters = next
	}
	return filters
}

func TestRateAndOnesByEnumeration(t *testing.T) {
	for _, c := range [][3]int{{2, 1, 1}, {2, 3, 2}, {3, 2, 2}, {4, 3, 2}, {5, 2, 2}, {3, 2, 3}, {5, 2, 3}} {
		m, n, k := c[0], c[1], c[2]
		for _, model := range models {
			positives, count, sum, squares := 0, 0, 0.0, 0.0
			for _, filter := range model.filters(m, n, k) {
				ones := float64(onesCount(filter))
				sum, squares = sum+ones, squares+ones*ones
				for _, query := range model.subsets(m, k) {
					if count++; query&^filter == 0 {
						positives++
					}
				}
			}
			total := float64(len(model.filters(m, n, k)))
			require.InEpsilon(t, float64(positives)/float64(count), model.Rate(m, n, k), 1e-12)
			mean, variance := model.Ones(m, n, k)
			require.InEpsilon(t, sum/total, mean, 1e-12)
			require.InDelta(t, squares/total-sum*sum/total/total, variance, 1e-12)
		}
	}
}

func onesCount(mask int) int {
	count := 0
	for ; mask != 0; mask &= mask - 1 {
		count++
	}
	return count
}

func TestCommonOnesByEnumeration(t *testing.T) {
	const m, k = 4, 2
	total, sum, squares := 0.0, 0.0, 0.0
	for _, first := range Standard.filters(m, 2, k) {
		for _, second := range Standard.filters(m, 1, k) {
			for _, third := range Standard.filters(m, 1, k) {
				ones := float64(onesCount(first & second & third))
				total, sum, squares = total+1, sum+ones, squares+ones*ones
			}
		}
	}
	mean, variance := CommonOnes(m, k, 2, 1, 1)
	require.InEpsilon(t, sum/total, mean, 1e-12)
	require.InEpsilon(t, squares/total-sum*sum/total/total, variance, 1e-12)

	ones, spread := Standard.Ones(1000, 90, 7)
	mean, variance = CommonOnes(1000, 7, 90)
	require.InEpsilon(t, ones, mean, 1e-12)
	require.InEpsilon(t, spread, variance, 1e-9)
}

func TestOutsideTheDomain(t *testing.T) {
	for _, c := range [][3]int{{1, 1, 1}, {8, 0, 1}, {8, 1, 0}, {8, 1, 9}, {-8, 1, 1}} {
		m, n, k := c[0], c[1], c[2]
		for _, model := range models {
			require.True(t, math.IsNaN(model.Rate(m, n, k)))
			require.True(t, math.IsNaN(model.Recursion(m, n, k)))
			require.Nil(t, model.Exact(m, n, k))
		}
		require.True(t, math.IsNaN(BoundL(m, n, k)))
		require.True(t, math.IsNaN(BoundM(m, n, k)))
		require.True(t, math.IsNaN(BoundU(m, n, k)))
		require.True(t, math.IsNaN(Taylor(m, n, k)))
		require.True(t, math.IsNaN(Double.exact(m, n, k, 0)))
	}
	require.True(t, math.IsNaN(Partition.exact(10, 2, 3, 0)), "k must divide m")
	require.True(t, math.IsNaN(BloomRate(0, 1)))
	require.True(t, math.IsNaN(LineRate(8, 17)))
	require.True(t, math.IsNaN(TwoChoiceOnes(8, 7, 0)))
	require.True(t, math.IsNaN(TwoChoiceLineRate(8, 0, 2)))
}

func BenchmarkRate(b *testing.B) {
	for _, n := range []int{10, 1000, 1_000_000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			for b.Loop() {
				Standard.Rate(10*n, n, 7)
			}
		})
	}
}
