// Package sdapi translates between the API of AUTOMATIC1111's web UI, under /sdapi/v1, and workflows: a request becomes
// the steps of one workflow, and its results become the answer, with the texts of parameters that the pictures carry.
//
// It belongs here: what that API calls things, its lists, its defaults and its envelope of errors. It does not belong
// here: how pictures are made, which is package workflow, and how texts are written into files, which is package
// mediameta.
//
// What a client sends and no tool of the service takes is never an error: the answer names it as ignored.
package sdapi
