package policy

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"github.com/gravelkv/gravel/benchdb/internal/chart"
	"github.com/gravelkv/gravel/blockfilter"
)

// The span of bits per key in which rates are told.
const (
	minBits = 4
	maxBits = 20
)

// LowerBound is the name of the curve of the least rates that filters can have.
const LowerBound = "lower bound"

// Curve is a family's false-positive rate by bits per key.
type Curve struct {
	Name string `json:"name"`
	// Measured rates are of filters that were asked, others are computed.
	Measured bool        `json:"measured"`
	Points   []RatePoint `json:"points"`
}

// RatePoint is a point of a Curve.
type RatePoint struct {
	BitsPerKey float64 `json:"bits_per_key"`
	FPR        float64 `json:"fpr"`
}

// Curves returns the rates of all families and the lower bound, the same in every
// process. Gravel's are by its formulas and tables, those of others are measured by
// the first call, for about a second.
var Curves = sync.OnceValue(func() (curves []Curve) {
	for _, family := range blockfilter.Families() {
		curves = append(curves, computed(family))
	}
	bound := Curve{Name: LowerBound}
	for bits := minBits; bits <= maxBits; bits++ {
		bound.add(float64(bits), math.Exp2(-float64(bits)))
	}
	return append(curves,
		measured(PebbleBloom, 4, 6, 8, 10, 12, 14, 16, 18, 20),
		measured("binaryfuse", 8, 16),
		bound) // drawn over a family that reaches it
})

func (c *Curve) add(bitsPerKey, rate float64) {
	c.Points = append(c.Points, RatePoint{BitsPerKey: bitsPerKey, FPR: rate})
}

// computed is a family of Gravel's.
func computed(family string) Curve {
	c := Curve{Name: family}
	for bits := minBits; bits <= maxBits; bits++ {
		p, err := Parse(fmt.Sprintf("%s:%d", family, bits))
		if err != nil {
			continue // the family has no filter of this size
		}
		rate, _ := p.Rate(0)
		c.add(float64(bits), rate)
	}
	return c
}

func measured(family string, amounts ...int) Curve {
	c := Curve{Name: family, Measured: true}
	for _, amount := range amounts {
		p, err := ParseFilter(fmt.Sprintf("%s:%d", family, amount))
		if err != nil {
			panic(err) // an amount in Curves is wrong
		}
		c.add(ask(p))
	}
	return c
}

const (
	keys   = 100_000
	absent = 1_000_000
)

// ask builds a filter of random keys and asks it for absent ones. Two standard
// deviations of a rate of 1 % are 0.02 %.
func ask(f pebble.FilterPolicy) (bitsPerKey, rate float64) {
	rng := rand.New(rand.NewPCG(1, 1))
	key := make([]byte, 16)
	draw := func() []byte {
		binary.LittleEndian.PutUint64(key, rng.Uint64())
		binary.LittleEndian.PutUint64(key[8:], rng.Uint64())
		return key
	}
	w := f.NewWriter(pebble.TableFilter)
	for range keys {
		w.AddKey(draw())
	}
	block := w.Finish(nil)
	positives := 0
	for range absent {
		if f.MayContain(pebble.TableFilter, block, draw()) {
			positives++
		}
	}
	return 8 * float64(len(block)) / keys, float64(positives) / absent
}

// PebbleShade is the shade of Pebble's own filter in all charts.
const PebbleShade chart.Shade = 2

// Shades are the shades of families. The lower bound has that of text.
var Shades = map[string]chart.Shade{
	"bloom": 1, PebbleBloom: PebbleShade, "twochoice": 3, "ribbon": 4, "compressed": 5, "binaryfuse": 6, "dense": 7,
}

// Series draws a family's rates in percent.
func (c Curve) Series() chart.Series {
	s := chart.Series{Name: c.Name, Shade: Shades[c.Name], Line: true, Dashed: c.Name == LowerBound}
	if c.Name == PebbleBloom {
		s.Name = "Pebble's own (pebble-bloom)"
	}
	if len(c.Points) < 3 { // sizes of their own, with nothing between
		s.Line, s.Marks = false, true
	}
	for _, p := range c.Points {
		s.Points = append(s.Points, chart.Point{X: p.BitsPerKey, Y: 100 * p.FPR})
	}
	return s
}

// RateChart compares families, and further points with them.
func RateChart(curves []Curve, points ...chart.Series) chart.Chart {
	figure := chart.XY{
		X: chart.Axis{Label: "bits per key"},
		Y: chart.Axis{Label: "false-positive rate, %", Log: true},
	}
	for _, c := range curves {
		figure.Series = append(figure.Series, c.Series())
	}
	figure.Series = append(figure.Series, points...)
	return chart.Chart{
		Title: "False-positive rate against bits per key", Figure: figure,
		Text: "The share of absent keys that a filter lets through. No filter can be below the lower bound, 2 to the power of minus its bits per key. Curves of Gravel's families are those they are sized by; those of Pebble's own and of binary fuse filters are measured on 100,000 keys.",
	}
}
