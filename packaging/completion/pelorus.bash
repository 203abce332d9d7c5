# Completion of pelorus for bash.
_pelorus() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
  case $before in
  --data | --dir | --module-dir | --out)
    mapfile -t COMPREPLY < <(compgen -d -- "$word")
    return
    ;;
  --config | --tls-certificate)
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
    return
    ;;
  --mode)
    mapfile -t COMPREPLY < <(compgen -W "table vertical csv json markdown" -- "$word")
    return
    ;;
  cluster)
    mapfile -t COMPREPLY < <(compgen -W "up status down adopt" -- "$word")
    return
    ;;
  esac
  local words
  case $command in
  run) words="--data --config --module-dir --keep-going --connect --tls --tls-certificate --mode" ;;
  serve) words="--config --port --data --module-dir --dev" ;;
  passwd) words="--data --user" ;;
  connect) words="--tls --tls-certificate" ;;
  cluster) words="--nodes --dir" ;;
  mcp) words="--data --connect" ;;
  docs) words="--out" ;;
  format) words="--check" ;;
  *) words="run serve settings passwd connect cluster format lsp dap mcp docs -e --data --module-dir --version --help" ;;
  esac
  if [ "$COMP_CWORD" = 1 ]; then words="run serve settings passwd connect cluster format lsp dap mcp docs -e --data --module-dir --version --help"; fi
  mapfile -t COMPREPLY < <(
    compgen -W "$words" -- "$word"
    case $command in run | format) compgen -f -- "$word" ;; esac
  )
}
complete -o filenames -F _pelorus pelorus
