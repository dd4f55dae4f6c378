package ycsb

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The six core files are the workloads of their letters.
func TestCoreFiles(t *testing.T) {
	for _, letter := range []string{"A", "B", "C", "D", "E", "F"} {
		name := "workload" + strings.ToLower(letter)
		file, err := os.Open("testdata/" + name)
		require.NoError(t, err)
		f, err := ReadFile(name, file)
		require.NoError(t, err)
		require.NoError(t, file.Close())
		want, err := Parse(letter)
		require.NoError(t, err)
		require.Equal(t, want.Mix, f.Mix, name)
		require.Equal(t, want.Distribution, f.Distribution, name)
		require.Equal(t, File{Workload: f.Workload, Records: 1000, ValueSize: 1000}, f)
		require.Equal(t, 1000, f.Operations)
		if letter == "E" {
			require.Equal(t, 100, f.MaxScan)
		}
	}
}

func TestProperties(t *testing.T) {
	f, err := ReadFile("mine", strings.NewReader("! a comment\nreadproportion: 3e-1\n\tupdateproportion 0.3\nfieldcount = 2\nfieldlength=50\ntable=t\ndb=x\n"))
	require.NoError(t, err)
	require.Equal(t, [Kinds]float64{Read: 0.5, Update: 0.5}, f.Mix)
	require.Equal(t, 100, f.ValueSize)
	require.Equal(t, Uniform, f.Distribution)
	require.Equal(t, 1000, f.MaxScan)
	require.Equal(t, []string{"db", "table"}, f.Ignored)

	f, err = ReadFile("defaults", strings.NewReader(""))
	require.NoError(t, err)
	require.Equal(t, [Kinds]float64{Read: 0.95, Update: 0.05}, f.Mix)
	require.Zero(t, f.Records)

	for text, want := range map[string]string{
		"readproportion=2":                       "readproportion",
		"readproportion=NaN":                     "from 0 to 1",
		"readproportion=0\nupdateproportion=0":   "all proportions are 0",
		"requestdistribution=hotspot":            "zipfian, latest, uniform",
		"recordcount=0":                          "recordcount",
		"recordcount=1000000001":                 "1000000000",
		"maxscanlength=x":                        "whole number",
		"insertorder=ordered":                    "write hashed",
		"workload=site.ycsb.workloads.Constant":  "CoreWorkload",
		"=x":                                     "write name=value",
		"word":                                   "write name=value",
		"fieldlengthdistribution=zipfian\n#\n\n": "write constant",
	} {
		_, err := ReadFile("wrong", strings.NewReader(text))
		require.ErrorContains(t, err, want, text)
	}
}

func FuzzReadFile(f *testing.F) {
	f.Add("recordcount=1000\nreadproportion=1\n")
	f.Fuzz(func(t *testing.T, text string) {
		file, err := ReadFile("fuzzed", strings.NewReader(text))
		if err != nil {
			return
		}
		sum := 0.0
		for _, share := range file.Mix {
			sum += share
		}
		require.InDelta(t, 1, sum, 1e-9)
		require.Positive(t, file.ValueSize)
	})
}

func TestKeySizes(t *testing.T) {
	for _, size := range []int{MinKeySize, 9, 16, usualKeySize - 1, usualKeySize, 24, 100} {
		seen := map[string]bool{}
		for number := range uint64(1000) {
			key := Keys(size).Append(nil, number)
			require.Len(t, key, size)
			seen[string(key)] = true
		}
		require.Len(t, seen, 1000)
	}
	require.Equal(t, string(Keys(0).Append(nil, 1)[4:]), strings.TrimLeft(string(Keys(40).Append([]byte("x"), 1)[5:]), "0"))
}
