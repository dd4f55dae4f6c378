package run

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/gravelkv/gravel/benchdb/internal/diskio"
)

// Price is what requests cost, in dollars. It implements pflag.Value for texts
// such as 0.0004,0.09.
type Price struct {
	ThousandRequests float64 `json:"thousand_requests"`
	GB               float64 `json:"gb"` // of 10^9 bytes
}

// S3Standard is the price of GET requests in S3 Standard in us-east-1, as of 2024,
// to machines of the same region, for which there is none on bytes.
var S3Standard = Price{ThousandRequests: 0.0004}

// Set reads two amounts.
func (p *Price) Set(text string) error {
	requests, bytes, ok := strings.Cut(text, ",")
	var read Price
	for amount, word := range map[*float64]string{&read.ThousandRequests: requests, &read.GB: bytes} {
		var err error
		*amount, err = strconv.ParseFloat(strings.TrimSpace(word), 64)
		ok = ok && err == nil && *amount >= 0 && !math.IsInf(*amount, 0)
	}
	if !ok {
		return fmt.Errorf("%q is no price; write dollars for a thousand requests and for a GB, such as %v", text, S3Standard.String())
	}
	*p = read
	return nil
}

// String returns the text that Set reads.
func (p *Price) String() string { return fmt.Sprintf("%g,%g", p.ThousandRequests, p.GB) }

// Type implements pflag.Value.
func (p *Price) Type() string { return "price" }

// words says what the price is.
func (p Price) words() string {
	text := fmt.Sprintf("$%g for 1,000 requests, $%g for a GB", p.ThousandRequests, p.GB)
	if p == S3Standard {
		text += " (S3 Standard, us-east-1, within the region, 2024)"
	}
	return text
}

// of returns what requests cost.
func (p Price) of(c diskio.Count) float64 {
	return float64(c.Reads)/1000*p.ThousandRequests + float64(c.Bytes)/1e9*p.GB
}
