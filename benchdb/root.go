package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gravelkv/gravel/benchdb/internal/report"
	"github.com/gravelkv/gravel/pebbleext"
)

// Exit statuses.
const (
	exitOK      = 0
	exitFailure = 1
	exitUsage   = 2
)

// storeError makes an error a wrong argument if it says that a directory holds
// none of the stores that the command takes. Others are failures, such as that
// of a damaged table.
func storeError(err error) error {
	for _, wrong := range []error{pebbleext.ErrNotStore, pebbleext.ErrLocked, pebbleext.ErrUnknownComparer, pebbleext.ErrRefused} {
		if errors.Is(err, wrong) {
			return report.Usagef("%w", err)
		}
	}
	return err
}

// execute runs the command line and returns the exit status.
func execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := newRootCommand()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	if errors.Is(err, context.Canceled) {
		err = errors.New("interrupted")
	}
	fmt.Fprintf(stderr, "benchdb: %s\n", oneLine(err))
	if errors.As(err, &report.UsageError{}) {
		return exitUsage
	}
	return exitFailure
}

// noDetail is a line that Pebble adds to what it finds damaged.
const noDetail = "<corruption detail carrier>"

// oneLine returns what an error says, errors that came together one after the
// other.
func oneLine(err error) string {
	var said []string
	for line := range strings.Lines(err.Error()) {
		if line = strings.TrimSpace(line); line != "" && line != noDetail && !slices.Contains(said, line) {
			said = append(said, line)
		}
	}
	return strings.Join(said, "; ")
}

// newRootCommand returns the command with its subcommands. Without one it does
// what run does.
func newRootCommand() *cobra.Command {
	defaultCommand := newRunCommand()
	root := &cobra.Command{
		Use:           "benchdb",
		Short:         "Measure what filters save a Pebble store",
		Version:       report.Version(),
		Args:          noArguments,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          defaultCommand.RunE,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if err := cmd.ValidateFlagGroups(); err != nil {
				return report.Usagef("%w; see %s --help", err, cmd.CommandPath())
			}
			return nil
		},
	}
	root.Flags().AddFlagSet(defaultCommand.Flags())
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return report.Usagef("%w; see %s --help", err, cmd.CommandPath())
	})
	root.AddCommand(defaultCommand, newMicroCommand(), newPlanCommand(), newInspectCommand(), newReplayCommand(), newRefilterCommand(), newPaperCommand())
	return root
}

func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		var names []string
		for _, c := range cmd.Root().Commands() {
			names = append(names, c.Name())
		}
		return report.Usagef("unknown command %q%s; see %s --help", args[0], suggest(args[0], names), cmd.CommandPath())
	}
	return nil
}

// suggest says which of the names a mistyped word may mean.
func suggest(word string, names []string) string {
	known := &cobra.Command{SuggestionsMinimumDistance: 2}
	for _, name := range names {
		known.AddCommand(&cobra.Command{Use: name, Run: func(*cobra.Command, []string) {}})
	}
	if found := known.SuggestionsFor(word); len(found) > 0 {
		return "; did you mean " + strings.Join(found, " or ") + "?"
	}
	return ""
}

// complete lets shells complete the values of a flag.
func complete(cmd *cobra.Command, flag string, values ...string) {
	if err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // there is no such flag
	}
}
