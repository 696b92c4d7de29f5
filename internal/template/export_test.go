package template

// Open reads a template that was saved, for tests that save none.
var Open = open

// ParseExpression reads an expression.
var ParseExpression = parseExpression
