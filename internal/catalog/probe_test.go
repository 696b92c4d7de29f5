package catalog_test
import ("testing";"time";"github.com/atelier-project/atelier/internal/catalog")
func TestProbe(t *testing.T){ s:=time.Now(); c,err:=catalog.Load(""); t.Log(time.Since(s)); if err!=nil{t.Fatal(err)}
 t.Log(len(c.Models()),len(c.Tools()),len(c.Loras()),c.Version())}
func BenchmarkProbe(b *testing.B){ b.ReportAllocs(); for b.Loop(){ if _,err:=catalog.Load("");err!=nil{b.Fatal(err)}}}
