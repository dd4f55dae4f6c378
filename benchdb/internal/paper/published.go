package paper

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
)

// Published is what the papers print.
type Published struct {
	Online     table[printedChoices]    `json:"two_choice_online_table1"`
	Ones       table[printedOnes]       `json:"two_choice_ones_table2"`
	Offline    table[printedChoices]    `json:"two_choice_offline_table3"`
	Double     table[printedDouble]     `json:"double_hashing_experiment"`
	Exact      table[printedBurns]      `json:"exact_rates"`
	Best       table[printedProbes]     `json:"best_probes"`
	Efficiency table[printedBurns]      `json:"largest_efficiency"`
	Estimate   table[printedBurns]      `json:"cost_of_the_estimated_k"`
	Compressed table[printedCompressed] `json:"compressed_bloom"`
}

type table[T any] struct{ Rows []T }

type printedChoices struct {
	N, M, Choices, K, Rounds int
	FPR                      Printed
}

type printedOnes struct {
	BitsPerKey int `json:"bits_per_key"`
	Choices, K int
	Ones, ODE  Printed
}

type printedDouble struct {
	C, K int
	P    Printed
}

// printedBurns is a rate or an efficiency of one of the filters that Burns
// compares, by its name, or by how many percent the estimated k changes both.
type printedBurns struct {
	M, N, K          int
	Filter           string
	Rate, Efficiency Printed
}

type printedProbes struct {
	M, N                        int
	Standard, Classic, Estimate Printed
}

type printedCompressed struct {
	M, Z, FPR Printed
	K         int
}

// Printed is a number as it stands in a paper: with so many digits.
type Printed struct {
	Value float64
	// HalfUnit is half of a unit in the last digit, what rounding may have cost.
	HalfUnit float64
}

// UnmarshalJSON keeps the number of digits.
func (p *Printed) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, &p.Value); err != nil {
		return err
	}
	mantissa, exponent, _ := strings.Cut(string(data), "e")
	power := 0
	if exponent != "" {
		if _, err := fmt.Sscan(exponent, &power); err != nil {
			return err
		}
	}
	_, decimals, _ := strings.Cut(mantissa, ".")
	// A value that is exactly between two roundings must not fail by the last
	// bits of its computation.
	p.HalfUnit = 0.5 * math.Pow10(power-len(decimals)) * (1 + 1e-9)
	return nil
}

// whole is a printed whole number.
func whole(n int) Printed { return Printed{float64(n), 0.5} }

// ParsePublished reads the file of published values.
func ParsePublished(data []byte) (*Published, error) {
	p := new(Published)
	return p, json.Unmarshal(data, p)
}
