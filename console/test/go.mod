module github.com/atelier-project/atelier/console/test

go 1.26.0

require (
	github.com/chromedp/cdproto v0.157.8
	github.com/chromedp/chromedp v0.21.0
)

require (
	github.com/go-jose/go-jose/v3 v3.0.1 // indirect
	github.com/go-json-experiment/json v0.0.0-20260820222146-c27c302e5fc3 // indirect
	github.com/golang-jwt/jwt/v5 v5.3.1 // indirect
	github.com/google/uuid v1.6.0 // indirect
	golang.org/x/crypto v0.58.0 // indirect
)

require (
	github.com/atelier-project/atelier v0.0.0
	github.com/coder/websocket v1.8.15
	github.com/oauth2-proxy/mockoidc v0.0.0-20240214162133-caebfff84d25
)

replace github.com/atelier-project/atelier => ../..
