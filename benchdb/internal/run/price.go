package run

import "github.com/gravelkv/gravel/benchdb/internal/diskio"

// thousandRequests is the price in dollars of a thousand GET requests in S3
// Standard in us-east-1, as of 2024, to machines of the same region, for which
// there is none on bytes.
const thousandRequests = 0.0004

// dollars is what requests cost.
func dollars(c diskio.Count) float64 { return float64(c.Reads) / 1000 * thousandRequests }
