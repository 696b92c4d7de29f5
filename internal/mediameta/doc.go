// Package mediameta writes into a picture what it was made with, and reads it again.
//
// A PNG has the settings in two text chunks: "atelier", a JSON document, and "parameters", the
// text of AUTOMATIC1111's web UI, which many programs read. A JPEG has the document in a comment
// and a WebP in its XMP packet; both have the text as the user comment of their EXIF data. EXIF
// and XMP data that a file has already stays as it is.
//
// Read also takes the settings of pictures that AUTOMATIC1111's web UI and ComfyUI made. It reads
// at most MaxBytes of texts, whatever a file claims to have, and Write needs the same memory for
// a picture of any size.
//
//atelier:sequential
package mediameta
