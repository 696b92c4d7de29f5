package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/atelier-project/atelier/apitype"
)

// connectCommand groups the commands about the servers that the service uses.
type connectCommand struct {
	LLM        connectLLM        `cmd:"" name:"llm" help:"Connect a server of language models: Ollama, llama.cpp, vLLM, LM Studio, a vendor."`
	ComfyUI    connectComfyUI    `cmd:"" name:"comfyui" help:"Connect a ComfyUI, which the service then renders with."`
	Images     connectImages     `cmd:"" help:"Connect another image server of yours."`
	Vendor     connectVendor     `cmd:"" help:"Connect a vendor that renders models of the catalog for money."`
	LoraSource connectLoraSource `cmd:"" name:"lora-source" help:"Connect a hosting site of LoRAs, or a mirror of one."`
	List       connectList       `cmd:"" help:"List what is connected, and whether it answers."`
	Test       connectTest       `cmd:"" help:"Ask the server of a connection what it has."`
	Remove     connectRemove     `cmd:"" help:"Remove a connection."`
	Discover   connectDiscover   `cmd:"" help:"Look for servers on the usual ports of this machine."`
}

// connecting are the flags of commands that connect something.
type connecting struct {
	operated
	Name text `help:"Its name. Default: from its address." placeholder:"NAME"`
	reasoned
	printing
}

// keyed are the flags that say where an API key is. It is never an argument: those end up in the
// history of the shell.
type keyed struct {
	KeyFile text `help:"File with the API key that the server wants; - reads standard input." name:"key-file" placeholder:"FILE" xor:"key"`
	KeyEnv  text `help:"Environment variable with the API key." name:"key-env" placeholder:"VARIABLE" xor:"key"`
}

// maxKeyFile bounds the file of an API key.
const maxKeyFile = 16 << 10

// read reads the API key, if one is named.
func (k keyed) read(in io.Reader) (string, error) {
	var text string
	switch {
	case k.KeyEnv != "":
		if text = os.Getenv(string(k.KeyEnv)); text == "" {
			return "", fmt.Errorf("--key-env: the environment variable %s is not set", k.KeyEnv)
		}
	case k.KeyFile == "":
		return "", nil
	default:
		if k.KeyFile != "-" {
			file, err := os.Open(kong.ExpandPath(string(k.KeyFile)))
			if err != nil {
				return "", fmt.Errorf("--key-file: %w", err)
			}
			defer file.Close()
			in = file
		}
		data, err := io.ReadAll(io.LimitReader(in, maxKeyFile+1))
		if err != nil {
			return "", fmt.Errorf("--key-file: %w", err)
		}
		if text = string(data); strings.TrimSpace(text) == "" || len(data) > maxKeyFile {
			return "", fmt.Errorf("--key-file: %s holds no key", k.KeyFile)
		}
	}
	return strings.TrimSpace(text), nil
}

// connect connects something and prints what it is.
func (c connecting) connect(ctx context.Context, t terminal, key string, s apitype.ConnectionSettings) error {
	return c.operate(ctx, func(o operations) error {
		made, err := o.CreateConnection(ctx, apitype.NewConnection{Name: string(c.Name), APIKey: key, ConnectionSettings: s, Reason: c.reason()})
		if err != nil {
			return err
		}
		if c.JSON {
			return printJSON(t.out, made)
		}
		text := fmt.Sprintf("connected %s %s at %s", made.Kind, made.Name, address(made))
		if models := modelsOf(made); len(models) > 0 {
			text += ": " + strings.Join(models, ", ")
		}
		if _, err := fmt.Fprintln(t.out, text); err != nil {
			return err
		}
		if h := made.Health; h != nil && h.State == apitype.ConnectionFailing {
			fmt.Fprintln(t.err, "It does not work yet:", h.Message)
		}
		return nil
	})
}

// address is where the server of a connection is.
func address(c apitype.Connection) string {
	switch {
	case c.LLM != nil:
		return c.LLM.BaseURL
	case c.ComfyUI != nil:
		return c.ComfyUI.BaseURL
	case c.Images != nil:
		return c.Images.BaseURL
	case c.Vendor != nil:
		return c.Vendor.BaseURL
	case c.LoraSource != nil:
		return c.LoraSource.BaseURL
	}
	return ""
}

// modelsOf are the models that a connection offers. Those of a ComfyUI depend on its files.
func modelsOf(c apitype.Connection) (ids []string) {
	rendered := func(list []apitype.RenderedModel) {
		for _, m := range list {
			ids = append(ids, m.ID)
		}
	}
	switch {
	case c.LLM != nil:
		for _, m := range c.LLM.Models {
			ids = append(ids, m.ID)
		}
	case c.ComfyUI != nil && c.Health != nil:
		for _, m := range c.Health.Models {
			ids = append(ids, m.ID)
		}
	case c.Images != nil:
		rendered(c.Images.Models)
	case c.Vendor != nil:
		rendered(c.Vendor.Models)
	}
	return ids
}

type connectLLM struct {
	Address string `arg:"" name:"address" help:"Such as http://127.0.0.1:11434."`
	connecting
	keyed
	Protocol string   `help:"What it speaks: ${enum}." name:"protocol" enum:"openai,anthropic" default:"openai"`
	Models   []string `help:"Models to offer; ID=NAME gives the server's name for it. Default: all that the server lists." name:"models" placeholder:"ID,…"`
}

// Run connects a server of language models.
func (c *connectLLM) Run(ctx context.Context, t terminal) error {
	key, err := c.read(t.in)
	if err != nil {
		return err
	}
	s := &apitype.LLMConnection{Protocol: c.Protocol, BaseURL: c.Address}
	for _, m := range renderedModels(c.Models) {
		s.Models = append(s.Models, apitype.LLMModel{ID: m.ID, UpstreamID: m.UpstreamID})
	}
	return c.connect(ctx, t, key, apitype.ConnectionSettings{LLM: s})
}

// renderedModels reads ID or ID=NAME.
func renderedModels(entries []string) (list []apitype.RenderedModel) {
	for _, entry := range entries {
		id, name, _ := strings.Cut(entry, "=")
		list = append(list, apitype.RenderedModel{ID: id, UpstreamID: name})
	}
	return list
}

type connectComfyUI struct {
	Address string `arg:"" name:"address" help:"Such as http://127.0.0.1:8188."`
	connecting
	Models    []string `help:"Models of the catalog to offer. Default: every one that it has the nodes and files for." name:"models" placeholder:"ID,…"`
	ModelsDir text     `help:"ComfyUI's folder, or its folder of models, as the service sees it: operators can have files fetched into it." name:"models-dir" placeholder:"DIR"`
}

// Run connects a ComfyUI.
func (c *connectComfyUI) Run(ctx context.Context, t terminal) error {
	return c.connect(ctx, t, "", apitype.ConnectionSettings{ComfyUI: &apitype.ComfyUIConnection{
		BaseURL: c.Address, Models: c.Models, ModelsDir: string(c.ModelsDir),
	}})
}

type connectImages struct {
	Address string `arg:"" name:"address" help:"Such as http://127.0.0.1:1234/v1."`
	connecting
	keyed
	Protocol string   `help:"What it speaks: ${enum}." enum:"openai-images,sdcpp" default:"openai-images"`
	Models   []string `help:"Models of the catalog that it renders; ID=NAME gives the server's name for it." name:"models" required:"" placeholder:"ID,…"`
}

// Run connects an image server.
func (c *connectImages) Run(ctx context.Context, t terminal) error {
	key, err := c.read(t.in)
	if err != nil {
		return err
	}
	s := &apitype.ImagesConnection{BaseURL: c.Address, Protocol: c.Protocol, Models: renderedModels(c.Models)}
	return c.connect(ctx, t, key, apitype.ConnectionSettings{Images: s})
}

type connectVendor struct {
	Vendor string `arg:"" help:"Its name. With the name openai the other settings have defaults."`
	operated
	reasoned
	printing
	keyed
	Address  text     `help:"Address of its API. Default for openai: https://api.openai.com/v1." name:"base-url" placeholder:"URL"`
	Protocol string   `help:"What it speaks: ${enum}." enum:"openai-images,queue" default:"openai-images"`
	Adapter  text     `help:"For queue: the name of a built-in adapter." placeholder:"NAME"`
	Models   []string `help:"Vendor models of the catalog that it renders; ID=NAME gives the vendor's name for it. Default for openai: gpt-image-2." name:"models" placeholder:"ID,…"`
}

// Run connects a vendor.
func (c *connectVendor) Run(ctx context.Context, t terminal) error {
	s := &apitype.VendorConnection{BaseURL: string(c.Address), Protocol: c.Protocol, Adapter: string(c.Adapter), Models: renderedModels(c.Models)}
	if c.Vendor == "openai" {
		s.BaseURL = cmp.Or(s.BaseURL, "https://api.openai.com/v1")
		if len(s.Models) == 0 {
			s.Models = []apitype.RenderedModel{{ID: "gpt-image-2"}}
		}
	}
	switch {
	case s.BaseURL == "":
		return exitError{errors.New("--base-url: must be given for this vendor"), 2}
	case len(s.Models) == 0:
		return exitError{errors.New("--models: must be given for this vendor"), 2}
	}
	key, err := c.read(t.in)
	if err != nil {
		return err
	}
	named := connecting{operated: c.operated, Name: text(c.Vendor), reasoned: c.reasoned, printing: c.printing}
	return named.connect(ctx, t, key, apitype.ConnectionSettings{Vendor: s})
}

type connectLoraSource struct {
	Host string `arg:"" help:"The host of links, such as huggingface.co."`
	operated
	reasoned
	printing
	keyed
	Site    string `help:"What kind of site it is: ${enum}." enum:"huggingface,civitai" required:""`
	Address text   `help:"The server that files are fetched from. Default: https:// and the host." name:"base-url" placeholder:"URL"`
}

// Run connects a hosting site.
func (c *connectLoraSource) Run(ctx context.Context, t terminal) error {
	key, err := c.read(t.in)
	if err != nil {
		return err
	}
	named := connecting{operated: c.operated, reasoned: c.reasoned, printing: c.printing}
	return named.connect(ctx, t, key, apitype.ConnectionSettings{LoraSource: &apitype.LoraSourceConnection{
		Site: c.Site, Host: c.Host, BaseURL: cmp.Or(string(c.Address), "https://"+c.Host),
	}})
}
