# What it takes to try and to publish a release. Source lib/need.sh first.
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # need.sh sets root and reads why

goreleaser_version=v2.16.0 # 2.17 has a dependency that could not be fetched, and 2.18 needs Go 1.27
need_goreleaser() { need_go_program goreleaser github.com/goreleaser/goreleaser/v2 "$goreleaser_version"; }
goreleaser_program() { go_program goreleaser "$goreleaser_version"; }

# need_sbom: cyclonedx-gomod, in a directory that GoReleaser finds it in.
need_sbom() { make_once "$(release_tools)" "cyclonedx-gomod" build_sbom; }
release_tools() { cached release-tools "$root"/tools/sbom/go.mod; }
build_sbom() {
  mkdir -p "$1" && CGO_ENABLED=0 go -C "$root/tools/sbom" build -o "$1/" github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod
}

helm_version=v3.22.0
need_helm() { need_go_program helm helm.sh/helm/v3/cmd/helm "$helm_version"; }
helm_program() { go_program helm "$helm_version"; }

kubeconform_version=v0.8.0
kubernetes_version=v1.34.0
keda_version=v2.17.0
need_kubeconform() {
  need_programs "jq yq" jq yq && need_go_program kubeconform github.com/yannh/kubeconform/cmd/kubeconform "$kubeconform_version" &&
    make_once "$(kubernetes_schemas)" "the schemas of Kubernetes and KEDA" build_schemas
}
kubeconform_program() { go_program kubeconform "$kubeconform_version"; }
kubernetes_schemas() { echo "$root/.cache/kubernetes-schemas-$kubernetes_version-$keda_version"; }

# build_schemas DIR: makes the schemas of kubeconform out of those that the modules of Kubernetes and KEDA have. Fields
# that a kind does not have are refused, which its own schema does not ask for.
build_schemas() {
  local kubernetes keda kind
  kubernetes=$(go mod download -json "k8s.io/kubernetes@$kubernetes_version" | jq -er .Dir) &&
    keda=$(go mod download -json "github.com/kedacore/keda/v2@$keda_version" | jq -er .Dir) && mkdir -p "$1" || return
  jq -c '.definitions | map_values(if has("properties") and (has("additionalProperties") | not) then .additionalProperties = false else . end)
    | .["io.k8s.apimachinery.pkg.util.intstr.IntOrString"] = {type: ["string", "integer"]}
    | .["io.k8s.apimachinery.pkg.api.resource.Quantity"] = {type: ["string", "number"]}' \
    "$kubernetes/api/openapi-spec/swagger.json" >"$1/definitions" || return
  for kind in core.v1.{ServiceAccount,ConfigMap,Service,PersistentVolumeClaim} apps.v1.Deployment networking.v1.Ingress policy.v1.PodDisruptionBudget; do
    jq -c --arg kind "io.k8s.api.$kind" '{"$ref": "#/definitions/\($kind)", definitions: .}' "$1/definitions" >"$1/$(tr "[:upper:]" "[:lower:]" <<<"${kind##*.}").json" || return
  done
  yq '.spec.versions[0].schema.openAPIV3Schema' "$keda/config/crd/bases/keda.sh_scaledobjects.yaml" >"$1/scaledobject.json"
}

compose_version=v2.16.2
need_compose() {
  need_programs jq jq && need_go_program compose github.com/compose-spec/compose-go/v2/cmd "$compose_version"
}
compose_program() { go_program compose "$compose_version"; }

# need_debian: a bare Debian as a tar, and what enters it.
need_debian() {
  [[ $EUID -eq 0 ]] || { why="only root may enter another root directory"; return 1; }
  need_programs debootstrap debootstrap && need_programs systemd systemd-analyze && need_programs rpm rpm && need_programs curl curl &&
    make_once "$(debian_tar)" "a bare Debian" build_debian
}
debian_tar() { echo "$root/.cache/debian-bookworm.tar"; }
build_debian() {
  debootstrap --variant=minbase --include=systemd bookworm "$1.d" && tar -C "$1.d" -cf "$1" . && rm -rf "$1.d"
}

need_buildah() {
  [[ $EUID -eq 0 ]] || { why="only root may enter another root directory"; return 1; }
  need_programs "buildah ca-certificates" buildah && need_programs jq jq
}

need_nats() { make_once "$(nats_program)" "the NATS server" build_nats; }
nats_program() { cached nats-server "$root/go.mod"; }
build_nats() { CGO_ENABLED=0 go -C "$root" build -o "$1" github.com/nats-io/nats-server/v2; }

# need_cluster: what scripts/release-checks/cluster starts.
need_cluster() { need_postgres && need_s3 && need_compose && need_nats && need_programs caddy caddy && need_programs curl curl; }

# need_nodes: what scripts/test-cluster starts.
need_nodes() {
  { postgres_bin >/dev/null || { apt_install postgresql && postgres_bin >/dev/null; }; } &&
    need_programs util-linux setpriv && need_s3 && need_nats
}
