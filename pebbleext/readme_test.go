package pebbleext_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/pebbleext/internal/storetest"
)

// TestREADMEs runs the code of each README, as it stands there, on a store that
// has Pebble's filters.
func TestREADMEs(t *testing.T) {
	for name, c := range map[string]struct{ before, after string }{
		"../README.md": {"", `
			fmt.Printf("%s %t\n", value, found)
			fail(errors.Join(err, closer.Close(), db.Close()))`},
		"README.md": {`
			opts := &pebble.Options{}`, `
			fmt.Printf("a small stone %t\n", len(value) == len("a small stone"))
			db, err = pebble.Open(dir, opts)
			fail(err)
			fail(db.Close())`},
	} {
		t.Run(name, func(t *testing.T) {
			dir := storeOfPebble(t)
			program := filepath.Join(t.TempDir(), "main.go")
			body := c.before + "\n" + codeOf(t, name) + c.after
			require.NoError(t, os.WriteFile(program, []byte(mainOf(body)), 0o600))
			run := exec.Command("go", "run", program, dir)
			run.Dir = ".."           // so that the program imports this module
			var told strings.Builder // Pebble's log, and what is wrong
			run.Stderr = &told
			out, err := run.Output()
			require.NoError(t, err, "%s", &told)
			require.Equal(t, "a small stone true\n", string(out))
		})
	}
}

// storeOfPebble makes a store of one key with Pebble's own filters.
func storeOfPebble(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	opts := &pebble.Options{Logger: storetest.QuietLogger{}}
	opts.Levels[0].FilterPolicy = bloom.FilterPolicy(10)
	db := storetest.Open(t, dir, opts)
	require.NoError(t, db.Set([]byte("pebble"), []byte("a small stone"), nil))
	require.NoError(t, db.Flush())
	require.NoError(t, db.Close())
	return dir
}

var goCode = regexp.MustCompile("(?s)```go\n(.*?)```")

// codeOf returns the Go code of a document. A comment of dots stands for what a
// program does with errors.
func codeOf(t *testing.T, document string) (code string) {
	t.Helper()
	text, err := os.ReadFile(document)
	require.NoError(t, err)
	for _, block := range goCode.FindAllStringSubmatch(string(text), -1) {
		code += strings.ReplaceAll(block[1], "// …", "fail(err)")
	}
	require.NotEmpty(t, code)
	return code
}

// mainOf returns a program whose main has a directory, a key and some code.
func mainOf(body string) string {
	imports := ""
	for _, path := range []string{"github.com/cockroachdb/pebble/v2", "github.com/cockroachdb/pebble/v2/bloom", "github.com/gravelkv/gravel/filterpolicy", "github.com/gravelkv/gravel/pebbleext"} {
		if name := filepath.Base(strings.TrimSuffix(path, "/v2")); strings.Contains(body, name+".") {
			imports += fmt.Sprintf("%q\n", path)
		}
	}
	return `package main

import (
	"errors"
	"fmt"
	"log"
	"os"

	` + imports + `)

func fail(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	dir, key := os.Args[1], []byte("pebble")
	` + body + `
}
`
}
