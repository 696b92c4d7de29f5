package blob

import (
	"context"
	"errors"
	"io"
	"time"
)

// Observed is a store whose operations are measured. Observe gets the name of each, how long
// it took and whether the store failed: an object that is not there is an answer. Reading the
// content of an object is not measured.
func Observed(s SignedStore, observe func(operation string, took time.Duration, failed bool)) SignedStore {
	return observed{s, observe}
}

type observed struct {
	SignedStore
	observe func(operation string, took time.Duration, failed bool)
}

func (o observed) measure(operation string, began time.Time, err error) {
	failed := err != nil && !errors.Is(err, ErrNotFound) && !errors.Is(err, ErrExists) && !errors.Is(err, ErrTooLarge) &&
		!errors.Is(err, ErrInvalidKey) && !errors.Is(err, context.Canceled)
	o.observe(operation, time.Since(began), failed)
}

// Ping implements SignedStore. What asks whether a node is ready notices a failing storage without traffic.
func (o observed) Ping(ctx context.Context) (err error) {
	defer func(began time.Time) { o.measure("ping", began, err) }(time.Now())
	return o.SignedStore.Ping(ctx)
}

// Put implements Store.
func (o observed) Put(ctx context.Context, key string, r io.Reader, p PutOptions) (object Object, err error) {
	defer func(began time.Time) { o.measure("put", began, err) }(time.Now())
	return o.SignedStore.Put(ctx, key, r, p)
}

// Open implements Store.
func (o observed) Open(ctx context.Context, key string) (file io.ReadSeekCloser, object Object, err error) {
	defer func(began time.Time) { o.measure("open", began, err) }(time.Now())
	return o.SignedStore.Open(ctx, key)
}

// Stat implements Store.
func (o observed) Stat(ctx context.Context, key string) (object Object, err error) {
	defer func(began time.Time) { o.measure("stat", began, err) }(time.Now())
	return o.SignedStore.Stat(ctx, key)
}

// Delete implements Store.
func (o observed) Delete(ctx context.Context, key string) (err error) {
	defer func(began time.Time) { o.measure("delete", began, err) }(time.Now())
	return o.SignedStore.Delete(ctx, key)
}

// Move implements Store.
func (o observed) Move(ctx context.Context, from, to string) (err error) {
	defer func(began time.Time) { o.measure("move", began, err) }(time.Now())
	return o.SignedStore.Move(ctx, from, to)
}

// Copy implements SignedStore.
func (o observed) Copy(ctx context.Context, from, to string) (err error) {
	defer func(began time.Time) { o.measure("copy", began, err) }(time.Now())
	return o.SignedStore.Copy(ctx, from, to)
}
