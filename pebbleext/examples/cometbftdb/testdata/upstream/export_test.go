package db

// SetBackend replaces the database that NewDB opens.
func SetBackend(backend BackendType, open func(name, dir string) (DB, error)) {
	backends[backend] = open
}
