package api

import "net/http"

// ServeHTTP serves one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.endpoints.ServeHTTP(w, r) }
