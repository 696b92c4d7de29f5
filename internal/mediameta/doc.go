// Package mediameta writes into a picture, a clip or a recording what it was made with, and reads it again.
//
// The settings are a JSON document with the name "atelier". A PNG has it in a text chunk, besides "parameters", the
// text of AUTOMATIC1111's web UI, which many programs read. A JPEG has the document in a comment and a WebP in its XMP
// packet; both have the text as the user comment of their EXIF data. EXIF and XMP data that a file has already stays as
// it is.
//
// An MP4 or MOV has the document as an item of its metadata (udta, meta, ilst), in the form of iTunes or by a key,
// whichever the file uses; an MP3 in a TXXX frame of its ID3 tag, a FLAC in a comment, a WAV in a list of information.
// Sound and frames are copied as they are. Where the data of a clip moves, its offsets are changed with it. Files in
// fragments, and others with offsets that are not known here, are refused. WebM is not among them: no tool makes it.
//
// Write also leaves out what ComfyUI writes about its graph, which may be private. Read also takes the settings of
// pictures that AUTOMATIC1111's web UI and ComfyUI made. It reads at most MaxBytes of texts, whatever a file claims to
// have, and Write needs the same memory for a file of any size.
//
//atelier:sequential
package mediameta
