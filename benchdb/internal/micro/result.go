package micro

import (
	"github.com/gravelkv/gravel/benchdb/internal/report"
)

// Result is the outcome of benchdb micro, in the form of its JSON file.
// benchdb/docs/micro.md describes every field.
type Result struct {
	report.Head
	Settings Settings  `json:"settings"`
	Builds   []Builds  `json:"builds"`
	Queries  []Queries `json:"queries"`
}

// Settings are the flags that decide what is measured.
type Settings struct {
	Policies   []string       `json:"policies"`
	Baseline   string         `json:"baseline"`
	Keys       report.Numbers `json:"keys"`
	KeySize    int            `json:"key_size"`
	ColdBytes  report.Size    `json:"cold_bytes"`
	Rounds     int            `json:"rounds"`
	AbsentKeys int            `json:"absent_keys"`
	Seed       uint64         `json:"seed"`
}
