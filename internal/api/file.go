package api

import (
	"github.com/atelier-project/atelier"
	"github.com/atelier-project/atelier/internal/endpoint"
	"github.com/atelier-project/atelier/internal/llm"
	"github.com/atelier-project/atelier/internal/media"
	"github.com/atelier-project/atelier/internal/openai"
	"github.com/atelier-project/atelier/internal/prose"
	"github.com/atelier-project/atelier/internal/wire"
)

// maxFileName is how many characters the name of a saved file has.
const maxFileName = 80

// saveFile saves the one file of a form. Its name is that of the form, or of the part.
func (s *Server) saveFile(c *endpoint.Call, name string, f endpoint.FormFile) (media.AssetRecord, error) {
	if name == "" && wire.IsText(f.Name) {
		name = f.Name
	}
	saved, err := s.media.Save(c, c.Caller.Wallet, prose.Cut(name, maxFileName), f.Data)
	return saved, aboutFile(err, f.Field)
}

// savedFiles are the saved uploads that can be used, as a protocol shows them.
func savedFiles[F any](s *Server, c *endpoint.Call, show func(media.AssetRecord) F) ([]F, error) {
	list, err := s.media.Assets(c, c.Caller.Wallet)
	out := []F{}
	for _, a := range list {
		if a.State == atelier.AssetReady {
			out = append(out, show(a))
		}
	}
	return out, err
}

func (s *Server) createFile(c *endpoint.Call, q openai.FileBody, files []endpoint.FormFile) (openai.SavedFile, error) {
	if len(files) != 1 {
		return openai.SavedFile{}, atelier.Refuse("file", "is required: send one file.")
	}
	saved, err := s.saveFile(c, "", files[0])
	return openai.NewSavedFile(saved, q.Purpose), err
}

func (s *Server) listFiles(c *endpoint.Call, _ endpoint.Empty) (openai.List[openai.SavedFile], error) {
	data, err := savedFiles(s, c, func(a media.AssetRecord) openai.SavedFile { return openai.NewSavedFile(a, "") })
	return openai.NewList(data, false, func(f openai.SavedFile) string { return f.ID }), err
}

func (s *Server) readFile(c *endpoint.Call, q assetRequest) (openai.SavedFile, error) {
	a, err := s.media.Asset(c, c.Caller.Wallet, q.ID)
	return openai.NewSavedFile(a, ""), err
}

func (s *Server) deleteFile(c *endpoint.Call, q assetRequest) (openai.Deleted, error) {
	return openai.Deleted{ID: q.ID, Object: "file", Deleted: true}, s.media.DeleteAsset(c, c.Caller.Wallet, q.ID)
}

func (s *Server) fileContent(c *endpoint.Call, q assetRequest) error {
	url, _, err := s.media.AssetURL(c, c.Caller.Wallet, q.ID)
	if atelier.HasCode(err, atelier.CodeNotFound) {
		err = atelier.Missing("id", q.ID, "file")
	}
	if err != nil {
		return err
	}
	file, object, err := s.generations.Open(c, url)
	if err != nil {
		return err
	}
	return sendFile(c, file, object.ContentType, object.ModTime)
}

// savedImage is a saved picture as language models see it.
func (s *Server) savedImage(c *endpoint.Call, id string) (llm.Image, error) {
	url, kind, err := s.media.AssetURL(c, c.Caller.Wallet, id)
	switch {
	case err != nil:
		return llm.Image{}, err
	case kind != "image":
		return llm.Image{}, atelier.Errorf(atelier.CodeInvalidRequest, "The file %s is not a picture.", id)
	}
	data, err := s.generations.Picture(c, c.Caller.Wallet, url, llm.MaxImageEdge, llm.MaxImageBytes)
	return llm.Image{Type: "image/jpeg", Data: data}, err
}
