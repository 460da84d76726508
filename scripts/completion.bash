# Completes wabe's commands, options, keys and files in bash. tests/cli/install.sh holds it against wabe --help.

# _wabe_learn PROGRAM: the keys of --set, "steps=" and so on, but for elements of lists. A shell asks a program once.
_wabe_learn() {
    if [[ ${_wabe_asked-} == "$1" ]]; then return; fi
    _wabe_keys=$(OMPI_MCA_ess_singleton_isolated=1 "${1/#\~\//$HOME/}" check --reference 2>/dev/null </dev/null |
        awk '/^#/ { other = other == 2 || /^# Machine files/ ? 2 : /^### / }
             /^\| `/ && !other {
                 gsub("`", "", $2)
                 parts = split($2, part, "FACE") # a key of each face
                 if (parts == 1) print $2 "="
                 else for (i = split("x_low x_high y_low y_high z_low z_high", face, " "); i > 0; i--)
                     print part[1] face[i] part[2] "="
             }' | sort -u)
    if [[ $_wabe_keys ]]; then _wabe_asked=$1; fi
}

_wabe() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local words='' files='' # files: a pattern
    if ((COMP_CWORD == 1)); then
        words='run check geometry predict calibrate bench kernels node --help --version'
    else
        case $previous in
        --machine | --output) files='*.cfg' ;;
        --csv) files='*.csv' ;;
        --restart) words='latest' files='*.h5' ;;
        --only) words='gpu cpu' ;;
        --set)
            _wabe_learn "${COMP_WORDS[0]}"
            words=$_wabe_keys
            compopt -o nospace 2>/dev/null
            ;;
        --nodes | --cells | --threads | --repetitions | --fluid | --bandwidth | --peak) ;; # anything
        *)
            case ${COMP_WORDS[1]} in
            run) words='--set --restart --change-physics --overwrite --machine --verbose --quiet' ;;
            check) words='--set --machine --verbose --quiet --reference' ;;
            geometry) words='--set --quiet' ;;
            predict) words='--set --machine --nodes --weak --csv --quiet' ;;
            calibrate) words='--output --only --kernels --quick' ;;
            bench) words='--json --les --cells --threads --repetitions --fluid' ;;
            kernels) words='--json --bandwidth --peak' ;;
            esac
            words+=' --help'
            case ${COMP_WORDS[1]} in
            run | check | geometry | predict)
                files='*.cfg'
                if [[ $current != -* ]]; then words=''; fi # files first
                ;;
            esac
            ;;
        esac
    fi
    mapfile -t COMPREPLY < <(
        compgen -W "$words" -- "$current"
        if [[ $files ]]; then
            compgen -f -X "!$files" -- "$current"
            compgen -d -- "$current"
        fi
    )
    if [[ $files ]]; then compopt -o filenames 2>/dev/null; fi # a slash behind folders, blanks quoted
}
complete -F _wabe wabe
