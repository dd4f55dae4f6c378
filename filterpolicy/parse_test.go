package filterpolicy

import (
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/stretchr/testify/require"
)

func TestParse(t *testing.T) {
	for _, c := range []struct{ text, canonical string }{
		{"none", "none"},
		{"bloom:10", "bloom:10"},
		{"bloom:9.50", "bloom:9.5"},
		{"bloom:1e1", "bloom:10"},
		{"bloom:0.5%", "bloom:0.5%"},
		{"bloom:10,layout=line", "bloom:10"},
		{"bloom:10,layout=flat", "bloom:10,layout=flat"},
		{"bloom:10,scheme=classic,layout=flat", "bloom:10,layout=flat,scheme=classic"},
		{"bloom:10,max=1024KiB,k=07", "bloom:10,k=7,max=1MiB"},
		{"bloom:10,max=1500", "bloom:10,max=1500B"},
		{"twochoice:10,rounds=8,choices=3", "twochoice:10,choices=3,rounds=8"},
		{"twochoice:10,scheme=independent,layout=flat", "twochoice:10,layout=flat,scheme=independent"},
		{"twochoice:0.5%,layout=flat", "twochoice:0.5%,layout=flat"},
		{"ribbon:7.5", "ribbon:7.5"},
		{"dense:0.2%,max=1MiB,verify=true", "dense:0.2%,max=1MiB,verify=true"},
		{"ribbon:1%,max=1MiB", "ribbon:1%,max=1MiB"},
		{"compressed:8", "compressed:8"},
		{"compressed:0.1%", "compressed:0.1%"},
		{"bloom:1%,max=1.5MiB", "bloom:1%,max=1536KiB"},
		{"ribbon:8,verify=true,max=1MiB", "ribbon:8,max=1MiB,verify=true"},
		{"bloom:10,verify=false", "bloom:10"},
	} {
		p, err := Parse(c.text)
		require.NoError(t, err, c.text)
		require.Equal(t, c.canonical, textOf(p), c.text)
		again, err := Parse(c.canonical)
		require.NoError(t, err)
		require.Equal(t, p, again)
	}
}

func textOf(p pebble.FilterPolicy) string {
	if p == pebble.NoFilterPolicy {
		return "none"
	}
	return p.(*Policy).String()
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ text, wrong string }{
		{"", `unknown family ""; there are bloom, compressed, dense, ribbon, twochoice, none`},
		{"blom:10", `unknown family "blom"; there are bloom`},
		{"none:10", `"none" has neither an amount nor options; write it alone`},
		{"none,max=1KiB", `"none" has neither an amount nor options; write it alone`},
		{"bloom", `"bloom" has no amount; write bits per key (bloom:10) or a rate (bloom:1%)`},
		{"bloom:", `"" is no amount; write bits per key (10) or a rate (1%)`},
		{"bloom:ten", `"ten" is no amount`},
		{"bloom:0", `bits per key must be above 0 and at most 100, not 0`},
		{"bloom:-1", `bits per key must be above 0 and at most 100, not -1`},
		{"bloom:NaN", `not NaN`},
		{"bloom:1e300", `bits per key must be above 0 and at most 100, not 1e+300`},
		{"bloom:0%", `a rate must be above 0% and below 100%, not 0%`},
		{"bloom:100%", `a rate must be above 0% and below 100%, not 100%`},
		{"bloom:1e-100%", `cannot reach a rate`},
		{"bloom:10,flat", `"flat" is no option; options are written name=value`},
		{"bloom:10,", `"" is no option`},
		{"bloom:10,k=3,k=3", `option "k" is given twice`},
		{"bloom:10,probes=3", `unknown option "probes"; bloom has k, layout, max, scheme`},
		{"bloom:10,k=0", `k="0" is wrong; it takes a whole number from 1 on`},
		{"bloom:10,k=17", `k must be from 1 to 16, not 17`},
		{"bloom:1%,k=5", `k goes with bits per key, not with a rate`},
		{"bloom:10,layout=round", `layout="round" is wrong; it takes line, flat`},
		{"bloom:10,scheme=classic", `a scheme goes with layout=flat`},
		{"bloom:10,max=12", `max="12" is wrong; it takes a size from 1KiB to 2GiB, such as 64KiB`},
		{"bloom:10,max=lots", `max="lots" is wrong`},
		{"bloom:10,verify=yes", `verify="yes" is wrong; it takes false, true`},
		{"twochoice:10,choices=5", `choices must be from 2 to 4, not 5`},
		{"twochoice:10,choices=1", `choices must be from 2 to 4, not 1: a filter with one choice is of family bloom`},
		{"twochoice:1%,choices=5", `choices must be from 2 to 4, not 5`},
		{"twochoice:1%,choices=1", `choices must be from 2 to 4, not 1: a filter with one choice is of family bloom`},
		{"twochoice:1%,k=5", `k goes with bits per key, not with a rate`},
		{"ribbon:0.5", `bits per key must be from 1 to`},
		{"dense:33", `bits per key must be above 0 and at most 32`},
		{"dense:10,k=3", `unknown option "k"; dense has max`},
		{"dense:1e-30%", `dense cannot reach a rate`},
		{"ribbon:10,k=3", `unknown option "k"; ribbon has max`},
		{"ribbon:1e-30%", `ribbon cannot reach a rate`},
		{"compressed:90", `bits per key must be above 0`},
		{"bloom:10,max=3GiB", `max="3GiB" is wrong`},
	} {
		_, err := Parse(c.text)
		require.ErrorContains(t, err, c.wrong, c.text)
		require.ErrorContains(t, err, c.text)
		require.NotContains(t, err.Error(), "\n")
	}
}

func TestConstructors(t *testing.T) {
	for _, c := range []struct {
		family string
		of     func(float64) *Policy
		most   float64
	}{
		{"bloom", Bloom, 100}, {"twochoice", TwoChoice, 64}, {"dense", Dense, 32}, {"ribbon", Ribbon, 32},
	} {
		parsed, err := Parse(c.family + ":9.5")
		require.NoError(t, err)
		require.Equal(t, parsed, c.of(9.5))
		require.Equal(t, c.family+":1", c.of(1).String())
		require.NotPanics(t, func() { c.of(c.most) })
		require.Panics(t, func() { c.of(0) })
		require.Panics(t, func() { c.of(c.most + 0.5) })
	}
}

// TestAmountsAgree: a rate becomes the bits per key that give it.
func TestAmountsAgree(t *testing.T) {
	for text, rate := range map[string]float64{
		"bloom:1%": 0.01, "bloom:0.1%": 0.001, "bloom:1%,layout=flat": 0.01,
		"twochoice:1%": 0.01, "twochoice:0.2%,choices=4": 0.002, "ribbon:1%": 0.01, "dense:0.2%": 0.002, "compressed:1%": 0.01,
	} {
		p, err := Parse(text)
		require.NoError(t, err)
		require.InEpsilon(t, rate, p.(*Policy).ExpectedRate(1<<24), 1e-3, text)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"none", "bloom:10", "bloom:1%,layout=flat,scheme=classic,max=1MiB", "bloom:3,k=4", "twochoice:10,choices=3,rounds=2", "ribbon:7.5", "compressed:1%", "bloom:,=", "a:b,c=d"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(textOf(p))
		require.NoError(t, err)
		require.Equal(t, p, again)
	})
}
