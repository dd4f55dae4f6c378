package report

import "fmt"

// UsageError is a wrong argument, named with what would be right.
type UsageError struct{ error }

// Unwrap lets an interruption be told from a wrong argument.
func (e UsageError) Unwrap() error { return e.error }

// Usagef returns a UsageError.
func Usagef(format string, args ...any) error { return UsageError{fmt.Errorf(format, args...)} }
