#compdef atelier
# Completes atelier in zsh. Use it with: source <(atelier completion zsh)
# or save it as _atelier in a directory of fpath.
_atelier() {
    local -a lines described
    local line
    lines=("${(@f)$(${~words[1]} __complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    lines=(${lines:#})
    if (( ! ${#lines} )); then
        _files
        return
    fi
    for line in $lines; do
        described+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
    done
    _describe 'atelier' described
}
if [ "$funcstack[1]" = "_atelier" ]; then
    _atelier "$@"
else
    compdef _atelier atelier
fi
