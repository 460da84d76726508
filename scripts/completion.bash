# Completes wabe's commands, options and files in bash. tests/cli/install.sh holds it against wabe --help.

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
        --set | --nodes | --cells | --threads | --repetitions | --fluid | --bandwidth | --peak) ;; # anything
        *)
            case ${COMP_WORDS[1]} in
            run) words='--set --restart --change-physics --machine --quiet' ;;
            check) words='--set --machine --quiet --reference' ;;
            geometry) words='--set --quiet' ;;
            predict) words='--set --machine --nodes --weak --csv --quiet' ;;
            calibrate) words='--output --only --quick' ;;
            bench) words='--json --cells --threads --repetitions --fluid' ;;
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
