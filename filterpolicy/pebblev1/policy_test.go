package pebblev1_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gravelkv/gravel/filterpolicy"
	"github.com/gravelkv/gravel/filterpolicy/pebblev1"
)

func TestParse(t *testing.T) {
	require.Equal(t, filterpolicy.Name, pebblev1.Bloom(10).Name())
	require.Equal(t, "bloom:9.5", pebblev1.Bloom(9.5).String())
	twochoice, err := pebblev1.Parse("twochoice:0.50%")
	require.NoError(t, err)
	require.Equal(t, "twochoice:0.5%", twochoice.(*pebblev1.Policy).String())
	none, err := pebblev1.Parse("none")
	require.NoError(t, err)
	require.Nil(t, none)
	_, err = pebblev1.Parse("blom:10")
	require.ErrorContains(t, err, `unknown family "blom"; there are bloom`)
}
