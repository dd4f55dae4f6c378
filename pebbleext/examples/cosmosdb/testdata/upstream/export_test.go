package db

// SetBackend replaces the database that NewDB opens.
func SetBackend(backend BackendType, open func(name, dir string) (DB, error)) {
	registerDBCreator(backend, func(name, dir string, _ Options) (DB, error) { return open(name, dir) }, true)
}
