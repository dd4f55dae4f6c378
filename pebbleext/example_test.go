package pebbleext_test

import (
	"errors"
	"fmt"
	"log"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/gravelkv/gravel/pebbleext"
)

func Example() {
	plan, err := pebbleext.ParsePlan("L0-L5=bloom:14;L6=bloom:10")
	if err != nil {
		log.Fatal(err)
	}
	opts := &pebble.Options{FS: vfs.NewMem()}
	setup := pebbleext.Apply(opts, pebbleext.Options{Plan: plan})
	db, err := pebble.Open("", opts)
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	if err := db.Set([]byte("pebble"), []byte("a small stone"), nil); err != nil {
		log.Fatal(err)
	}

	reader, err := setup.NewReader(db)
	if err != nil {
		log.Fatal(err)
	}
	defer reader.Close()
	value, closer, err := reader.Get([]byte("pebble"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", value)
	if err := closer.Close(); err != nil {
		log.Fatal(err)
	}
	_, _, err = reader.Get([]byte("sand"))
	fmt.Println(err)
	// Output:
	// a small stone
	// pebble: not found
}

func ExampleReader_GetMany() {
	db, err := pebbleext.Open("", &pebble.Options{FS: vfs.NewMem()}, pebbleext.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	for _, stone := range []string{"gravel", "pebble"} {
		if err := db.Set([]byte(stone), []byte(stone+"'s value"), nil); err != nil {
			log.Fatal(err)
		}
	}

	keys := [][]byte{[]byte("pebble"), []byte("sand"), []byte("gravel")}
	values := make([]string, len(keys))
	err = db.GetMany(keys, func(i int, value []byte) error {
		values[i] = string(value)
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%q\n", values)
	// Output:
	// ["pebble's value" "" "gravel's value"]
}

// The lines of the README: a store with filters in its tables and in their index.
func ExampleOpen() {
	plan, err := pebbleext.ParsePlan("L0-L5=dense:10;L6=ribbon:8;index=8")
	if err != nil {
		log.Fatal(err)
	}
	db, err := pebbleext.Open("", &pebble.Options{FS: vfs.NewMem()}, pebbleext.Options{Plan: plan})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	if err := db.Set([]byte("pebble"), []byte("a small stone"), nil); err != nil {
		log.Fatal(err)
	}
	value, closer, err := db.Get([]byte("pebble")) // with the filters of all levels
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", value)
	if err := closer.Close(); err != nil {
		log.Fatal(err)
	}
	found, err := db.Has([]byte("sand")) // reads no value
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(found)
	// Output:
	// a small stone
	// false
}

// A snapshot is read by a Reader of its own, which goes by the same rule.
func ExampleReader_Over() {
	db, err := pebbleext.Open("", &pebble.Options{FS: vfs.NewMem()}, pebbleext.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	snapshot := db.NewSnapshot()
	defer snapshot.Close()
	if err := db.Set([]byte("pebble"), nil, nil); err != nil {
		log.Fatal(err)
	}
	before, err := db.Over(snapshot).Has([]byte("pebble"))
	if err != nil {
		log.Fatal(err)
	}
	now, err := db.Has([]byte("pebble"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(before, now)
	// Output:
	// false true
}

// A store of accounts, whose entries are scanned account by account.
func ExampleReader_NewPrefixIter() {
	plan, err := pebbleext.ParsePlan("bloom:10;prefix=delimiter:/")
	if err != nil {
		log.Fatal(err)
	}
	db, err := pebbleext.Open("", &pebble.Options{FS: vfs.NewMem()}, pebbleext.Options{Plan: plan})
	if err != nil {
		log.Fatal(err)
	}
	for _, key := range []string{"account-7/balance", "account-7/name", "account-8/name"} {
		if err := db.Set([]byte(key), nil, nil); err != nil {
			log.Fatal(err)
		}
	}
	iter, err := db.NewPrefixIter([]byte("account-7/"), nil)
	if err != nil {
		log.Fatal(err)
	}
	for iter.First(); iter.Valid(); iter.Next() {
		fmt.Printf("%s\n", iter.Key())
	}
	if err := errors.Join(iter.Close(), db.Close()); err != nil {
		log.Fatal(err)
	}
	// Output:
	// account-7/balance
	// account-7/name
}

// Orders by time. Intervals without any are found empty without reading them.
func ExampleReader_NewBoundedIter() {
	plan, err := pebbleext.ParsePlan("bloom:10;range=7")
	if err != nil {
		log.Fatal(err)
	}
	db, err := pebbleext.Open("", &pebble.Options{FS: vfs.NewMem()}, pebbleext.Options{Plan: plan})
	if err != nil {
		log.Fatal(err)
	}
	for _, key := range []string{"2026-03-01T09:12", "2026-03-01T17:40", "2026-03-04T08:05"} {
		if err := db.Set([]byte(key), nil, nil); err != nil {
			log.Fatal(err)
		}
	}
	iter, err := db.NewBoundedIter(&pebble.IterOptions{LowerBound: []byte("2026-03-01"), UpperBound: []byte("2026-03-02")})
	if err != nil {
		log.Fatal(err)
	}
	for iter.First(); iter.Valid(); iter.Next() {
		fmt.Printf("%s\n", iter.Key())
	}
	iter.SetBounds([]byte("2026-03-02"), []byte("2026-03-03")) // the next day
	fmt.Println(iter.First())
	if err := errors.Join(iter.Close(), db.Close()); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 2026-03-01T09:12
	// 2026-03-01T17:40
	// false
}

// What is wrong with a store can be told apart.
func ExampleErrLocked() {
	opts := &pebble.Options{FS: vfs.NewMem()}
	db, err := pebbleext.Open("store", opts, pebbleext.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	_, err = pebbleext.Open("store", opts, pebbleext.Options{})
	fmt.Println(errors.Is(err, pebbleext.ErrLocked))
	fmt.Println(err)
	// Output:
	// true
	// store: the store is open in this or another process; close it there first
}
