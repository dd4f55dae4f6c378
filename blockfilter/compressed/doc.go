// Package compressed implements compressed Bloom filters (Mitzenmacher 2002) that are queried while they stay compressed.
package compressed
