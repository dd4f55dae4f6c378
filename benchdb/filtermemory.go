package main

import (
	"github.com/spf13/pflag"

	"github.com/gravelkv/gravel/benchdb/internal/report"
	"github.com/gravelkv/gravel/benchdb/internal/run"
)

// filterMemory is a size, or as much as a run's filters need. It implements
// pflag.Value.
type filterMemory report.Size

const (
	fit     filterMemory = -1
	fitText              = "fit"
)

func addFilterMemory(fs *pflag.FlagSet, m *filterMemory) {
	fs.Var(m, "filter-memory", "memory for resident filters, beside the block cache; fit: as much as they need; 0: none")
}

// Set reads a size or fit.
func (m *filterMemory) Set(text string) error {
	if text == fitText {
		*m = fit
		return nil
	}
	return (*report.Size)(m).Set(text)
}

// String returns the text that Set reads.
func (m *filterMemory) String() string {
	if *m == fit {
		return fitText
	}
	return report.Size(*m).String()
}

// Type implements pflag.Value.
func (m *filterMemory) Type() string { return "size" }

// bytes returns the memory for a run of those stores. What fits has 1 KiB for
// each table and 2 % beside the filters.
func (m filterMemory) bytes(r run.Measured) int64 {
	if m != fit {
		return int64(m)
	}
	most := 0
	for _, s := range r.Stores {
		tables := 0
		for _, level := range s.Levels {
			tables += level.Tables
		}
		most = max(most, tables)
	}
	return r.FilterBytes()*51/50 + int64(most)<<10
}
