// Package phrase holds the sentences that the model says, and formats numbers,
// lists and excerpts for them. The sentences are lines in data/say.txt; data/idea.txt
// has pictures for users who leave the choice to the model.
//
//atelier:sequential
package phrase
