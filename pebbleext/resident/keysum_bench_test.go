package resident

import "testing"

func BenchmarkKeySum(b *testing.B) {
	key := []byte("user6284781860667377211")
	var s keySum
	for b.Loop() {
		s.add(key)
	}
}
