// Package modeldir is the folders of a ComfyUI's models on this machine: which files are in
// them, and files of the catalog that are fetched into them.
//
// What must always hold:
//
//   - A file has its name only when it is whole: it is written beside it, as .part, compared
//     with its size and SHA-256, synced and renamed.
//   - What has arrived is kept, whatever ends the download, and the next one continues it when
//     it is the same file: the same checksum, or the same strong ETag. Where neither is known,
//     it starts again.
//   - One download writes a file at a time, on the whole machine. Others wait for it.
//   - A token goes to the host of the file, over HTTPS, and to no host that this one redirects to.
//   - Nothing is written but in the folder that ComfyUI reads, under the name that the catalog has.
package modeldir
