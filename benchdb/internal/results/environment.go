package results

import (
	"runtime"
	"runtime/debug"
	"time"

	"github.com/klauspost/cpuid/v2"
)

// Environment is where and with what a benchmark ran.
type Environment struct {
	Date   time.Time `json:"date"`
	Go     string    `json:"go"`
	Pebble string    `json:"pebble"`
	OS     string    `json:"os"`
	Arch   string    `json:"arch"`
	CPU    string    `json:"cpu"`
	Cores  int       `json:"cores"`
}

// Here describes this process.
func Here() Environment {
	return Environment{
		Date:   time.Now().UTC().Truncate(time.Second),
		Go:     runtime.Version(),
		Pebble: moduleVersion("github.com/cockroachdb/pebble/v2"),
		OS:     runtime.GOOS,
		Arch:   runtime.GOARCH,
		CPU:    cpuid.CPU.BrandName,
		Cores:  runtime.GOMAXPROCS(0),
	}
}

// moduleVersion returns a dependency's version as built in, empty in tests.
func moduleVersion(path string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, m := range info.Deps {
		if m.Path == path {
			return m.Version
		}
	}
	return ""
}
