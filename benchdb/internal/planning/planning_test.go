package planning

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/pebbleext/levelplan"
)

var shape = levelplan.Shape{Levels: []levelplan.LevelShape{{Level: 5, Keys: 20_000}, {Level: 6, Keys: 180_000, Tables: 4}}}

// Budgets are sizes, shares of the data and bits of a key, and read their own text.
func TestBudget(t *testing.T) {
	for text, want := range map[string]int64{
		"64KiB": 64 << 10, "10%": 2_000_000, "10bits": 250_000, "2.5 bits": 62_500,
	} {
		var b, again Budget
		require.NoError(t, b.Set(text), text)
		require.Equal(t, want, b.of(shape), text)
		require.NoError(t, again.Set(b.String()))
		require.Equal(t, b, again)
	}
	var b Budget
	for _, text := range []string{"", "0", "-1bits", "101%", "0bits", "NaN%", "x"} {
		require.ErrorContains(t, b.Set(text), "20%", text)
	}
	require.NoError(t, b.Set("1KiB"))
	require.NoError(t, b.Set("10%"))
	require.Equal(t, "10%", b.String(), "the last one counts")
}

// The knee is where a curve begins to be flat, and the ends of one that is straight.
func TestKnee(t *testing.T) {
	require.Equal(t, Point{20, 1}, knee([]Point{{0, 10}, {10, 6}, {20, 1}, {60, 0.5}, {100, 0}}))
	require.Equal(t, Point{}, knee([]Point{{}}))
}

// A curve begins with no filters, and falls as they grow.
func TestCurve(t *testing.T) {
	points, err := curve(shape, levelplan.Budget{})
	require.NoError(t, err)
	require.Equal(t, Point{0, 2}, points[0], "both levels are read in vain")
	require.Greater(t, len(points), 10)
	for i, p := range points[1:] {
		require.Greater(t, p.Bytes, points[i].Bytes)
		require.Less(t, p.Wasted, points[i].Wasted)
	}
}

// What is compared starts with the plan, within the budget, and ends with none.
func TestCompare(t *testing.T) {
	r := &Result{Settings: Settings{CacheSize: 1 << 20, Family: "ribbon", Read: Reader}}
	var b Budget
	require.NoError(t, b.Set("8bits"))
	require.NoError(t, r.Compare(shape, nil, b))
	require.Equal(t, fromBudget, r.Plans[0].Name)
	require.Equal(t, "none", r.Plans[len(r.Plans)-1].Name)
	require.LessOrEqual(t, r.Plans[0].Bytes, int64(200_000))
	for _, p := range r.Plans[1:] {
		require.Greater(t, p.WastedAbsent, r.Plans[0].WastedAbsent, p.Name)
	}
	require.NoError(t, b.Set("10B"))
	require.ErrorContains(t, (&Result{Settings: r.Settings}).Compare(shape, nil, b), "too small")
}
