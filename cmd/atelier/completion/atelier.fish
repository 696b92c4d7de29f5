# Completes atelier in fish. Use it with: atelier completion fish | source
function __atelier_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l program $words[1]
    set -e words[1]
    set -l found ($program __complete -- $words 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c atelier -f -a '(__atelier_complete)'
