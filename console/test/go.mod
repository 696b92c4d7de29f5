module github.com/atelier-project/atelier/console/test

go 1.26.0

require (
	github.com/chromedp/cdproto v0.157.8
	github.com/chromedp/chromedp v0.21.0
)

require (
	github.com/go-json-experiment/json v0.0.0-20260820222146-c27c302e5fc3 // indirect
	github.com/google/uuid v1.6.0 // indirect
)

require (
	github.com/atelier-project/atelier v0.0.0
	github.com/coder/websocket v1.8.15
)

replace github.com/atelier-project/atelier => ../..
