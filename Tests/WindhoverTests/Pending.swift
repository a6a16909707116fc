// Replaced by the module's first tests.
