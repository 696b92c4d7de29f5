// Package pull has nodes fetch the files of models into the folders of ComfyUIs. A pull is the files
// of a model on their way into the folder that a connection names (package connection); package
// modeldir finds and fetches the files.
//
// A pull is a row. A node that sees the folder takes it, holds it while it reports, and gives it
// back when it stops; another takes it when the node dies. What has arrived stays in the folder, so
// that each attempt continues the last one.
//
// What must always hold:
//
//   - One pull is fetched into a folder at a time.
//   - Only the latest attempt changes the row. An attempt that finds that it is not ends.
//   - Nothing is fetched before all that is missing is known to fit.
//   - A pull into a folder that its connection no longer names fails.
package pull
