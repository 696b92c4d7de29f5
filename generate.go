package atelier

//go:generate go run ./internal/docgen
