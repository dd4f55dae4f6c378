package ycsb

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// File is a workload of one of YCSB's property files, and what it says of the
// store; 0 is what it does not say.
type File struct {
	Workload
	Records, ValueSize int
	// Ignored are properties that are not known here.
	Ignored []string
}

// ReadFile reads a property file of YCSB's CoreWorkload, with its defaults. The
// name is the workload's. Shares of operations are in proportion to their sum.
func ReadFile(name string, r io.Reader) (File, error) {
	properties, err := readProperties(r)
	if err != nil {
		return File{}, err
	}
	p := &parser{values: properties}
	f := File{Workload: Workload{Name: name, Distribution: Uniform}}
	f.Mix = [Kinds]float64{
		Read:            p.share("readproportion", 0.95),
		Update:          p.share("updateproportion", 0.05),
		Insert:          p.share("insertproportion", 0),
		Scan:            p.share("scanproportion", 0),
		ReadModifyWrite: p.share("readmodifywriteproportion", 0),
	}
	if text, ok := p.take("requestdistribution"); ok {
		p.fail("requestdistribution", f.Distribution.Set(text))
	}
	f.MaxScan = p.number("maxscanlength", 1000)
	f.Records, f.Operations = p.number("recordcount", 0), p.number("operationcount", 0)
	f.ValueSize = p.number("fieldcount", 10) * p.number("fieldlength", 100)
	p.must("insertorder", "hashed")
	p.must("scanlengthdistribution", "uniform")
	p.must("fieldlengthdistribution", "constant")
	p.must("workload", "site.ycsb.workloads.CoreWorkload", "com.yahoo.ycsb.workloads.CoreWorkload")
	for _, all := range []string{"readallfields", "writeallfields"} { // a value is one here
		p.must(all, "true", "false")
	}
	sum := 0.0
	for _, share := range f.Mix {
		sum += share
	}
	if p.err == nil && sum == 0 {
		p.err = errors.New("all proportions are 0; give one of them a share, such as readproportion=1")
	}
	for kind := range f.Mix {
		f.Mix[kind] /= sum
	}
	for property := range p.values {
		f.Ignored = append(f.Ignored, property)
	}
	slices.Sort(f.Ignored)
	return f, p.err
}

// readProperties reads lines of Java's property files: name=value, name:value or
// name value, and comments.
func readProperties(r io.Reader) (map[string]string, error) {
	properties := map[string]string{}
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.ContainsRune("#!", rune(line[0])) {
			continue
		}
		end := strings.IndexAny(line, "=: \t")
		if end <= 0 {
			return nil, fmt.Errorf("%.40q is no property; write name=value", line)
		}
		properties[line[:end]] = strings.TrimLeft(line[end:], "=: \t")
	}
	return properties, lines.Err()
}

// parser takes properties one by one and keeps the first error.
type parser struct {
	values map[string]string
	err    error
}

func (p *parser) take(property string) (value string, ok bool) {
	value, ok = p.values[property]
	delete(p.values, property)
	return value, ok
}

func (p *parser) fail(property string, err error) {
	if err != nil && p.err == nil {
		p.err = fmt.Errorf("%s: %w", property, err)
	}
}

func (p *parser) share(property string, value float64) float64 {
	if text, ok := p.take(property); ok {
		var err error
		if value, err = strconv.ParseFloat(text, 64); err != nil || !(value >= 0 && value <= 1) {
			p.fail(property, fmt.Errorf("%q is no share; write one from 0 to 1", text))
		}
	}
	return value
}

// maxNumber keeps products of numbers within an int.
const maxNumber = 1e9

func (p *parser) number(property string, value int) int {
	if text, ok := p.take(property); ok {
		var err error
		if value, err = strconv.Atoi(text); err != nil || value < 1 || value > maxNumber {
			p.fail(property, fmt.Errorf("%q must be a whole number from 1 to %.0f", text, maxNumber))
		}
	}
	return value
}

func (p *parser) must(property string, values ...string) {
	if text, ok := p.take(property); ok && !slices.Contains(values, text) {
		p.fail(property, fmt.Errorf("%q is not supported; write %s", text, strings.Join(values, " or ")))
	}
}
