package paper

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gravelkv/gravel/benchdb/internal/paper/analysis"
	"github.com/gravelkv/gravel/blockfilter"
)

const (
	lumettaMitzenmacherPaper = "Lumetta, Mitzenmacher: Using the Power of Two Choices (2007)"
	choiceTrials             = 1000 // of each row of the paper
)

// lumettaMitzenmacher repeats Tables 1 to 3. As in the paper, their rates follow
// from the fraction of ones. Beside them are rates by asking for absent keys,
// if these are not too rare.
func lumettaMitzenmacher(p *Published) []Experiment {
	offline := slices.DeleteFunc(slices.Clone(p.Offline.Rows), func(r printedChoices) bool { return r.Choices == 1 })
	return []Experiment{
		choicesTable("Table 1: online, independent hashes", p.Online.Rows, printedChoices.independent),
		choicesTable("Table 1: online, double hashing", p.Online.Rows, printedChoices.double),
		onesTable(p),
		choicesTable("Table 3: offline, r rounds, independent hashes", offline, printedChoices.independent),
		choicesTable("Table 3: offline, r rounds, double hashing", offline, printedChoices.double),
	}
}

// choicesTable measures each row of a table on filters with options.
func choicesTable(title string, rows []printedChoices, options func(printedChoices) blockfilter.Options) Experiment {
	e := Experiment{
		paper: lumettaMitzenmacherPaper,
		title: title,
		note:  "rates by the fraction of ones, and by asking for absent keys",
	}
	for _, r := range rows {
		e.cases = append(e.cases, r.rates(options(r)))
	}
	return e
}

func (r printedChoices) bitsPerKey() float64 { return float64(r.M) / float64(r.N) }

func (r printedChoices) online() bool { return r.Rounds <= 1 }

// double are the options of filters with double hashing, of a Bloom filter for
// one choice.
func (r printedChoices) double() blockfilter.Options {
	return r.options(double)
}

// independent are the options of filters with a hash for each probe.
func (r printedChoices) independent() blockfilter.Options {
	return r.options(standard)
}

func (r printedChoices) options(s scheme) blockfilter.Options {
	o := flat{s, r.M, r.N, r.K}.options()
	if r.Choices > 1 {
		o.Family, o.Choices, o.Rounds = "twochoice", r.Choices, max(r.Rounds, 1)
	}
	return o
}

// queries is how many absent keys bring ten false positives, 0 if a trial would
// take longer to ask than to build.
func (r printedChoices) queries() int {
	if r.FPR.Value < 1e-6 {
		return 0
	}
	return int(math.Ceil(10 / r.FPR.Value))
}

// choiceOutcome is what a trial finds: numbers of ones and of false positives.
type choiceOutcome struct{ ones, positives float64 }

// rates measures the rate by ones and by asking.
func (r printedChoices) rates(o blockfilter.Options) measurement {
	find := func(f *filter, rng *rand.Rand) choiceOutcome { return choiceOutcome{f.ones(), f.ask(rng, r.queries())} }
	return sampled(fmt.Sprintf("choices %+v", o), choiceTrials, built(o, r.N, find), r.rows)
}

func (r printedChoices) rows(outcomes []choiceOutcome) []Row {
	byOnes := sampleOf(outcomes, func(o choiceOutcome) float64 { return r.rateOf(o.ones / float64(r.M)) })
	row := r.row()
	row.Published = within(r.FPR.Value, byOnes.toleranceBeside(choiceTrials)+r.FPR.HalfUnit)
	if r.online() {
		z := analysis.TwoChoiceOnes(r.bitsPerKey(), r.K, r.Choices)
		row.Predicted = within(r.rateOf(z), byOnes.tolerance()+r.rateOf(z+odeError)-r.rateOf(z))
	}
	rows := []Row{row.of(byOnes, byOnes.mean())}
	if queries := float64(r.queries()); queries > 0 {
		byAsking := sampleOf(outcomes, func(o choiceOutcome) float64 { return o.positives / queries })
		asked := r.row()
		asked.Point, asked.Published = "asked", within(r.FPR.Value, byAsking.tolerance())
		rows = append(rows, asked.of(byAsking, byAsking.mean()))
	}
	return rows
}

// rateOf is the rate of a filter with a fraction of ones.
func (r printedChoices) rateOf(fraction float64) float64 {
	return -math.Expm1(float64(r.Choices) * math.Log1p(-math.Pow(fraction, float64(r.K))))
}

// odeError is how far the fraction of ones may be from equation (3.2), which
// holds in the limit of many keys. At 10,000 keys the paper finds it right to
// four decimals, and one off in the last.
const odeError = 1e-4

func (r printedChoices) row() Row {
	point := fmt.Sprintf("c=%d k=%d", r.Choices, r.K)
	if !r.online() {
		point += fmt.Sprintf(" r=%d", r.Rounds)
	}
	return Row{Case: fmt.Sprintf("m/n=%.0f", r.bitsPerKey()), Point: point}
}

// onesTable is Table 2: the fraction of ones, measured, and by equation (3.2).
func onesTable(p *Published) Experiment {
	e := Experiment{
		paper: lumettaMitzenmacherPaper,
		title: "Table 2: fraction of ones, double hashing, and equation (3.2)",
	}
	for _, printed := range p.Ones.Rows {
		r := printedChoices{N: 10_000, M: 10_000 * printed.BitsPerKey, Choices: printed.Choices, K: printed.K}
		z := analysis.TwoChoiceOnes(r.bitsPerKey(), r.K, r.Choices)
		e.cases = append(e.cases, sampled(fmt.Sprintf("ones %+v", r), choiceTrials, ones(r.double(), r.N), func(s sample) []Row {
			fractions, row := s.over(float64(r.M)), r.row()
			row.Published = within(printed.Ones.Value, fractions.toleranceBeside(choiceTrials)+printed.Ones.HalfUnit)
			row.Predicted = within(z, fractions.tolerance()+odeError)
			return []Row{row.of(fractions, fractions.mean()), formula(row.Case, "by equation", printed.ODE, z)}
		}))
	}
	return e
}
