export const shells = ["bash", "zsh", "fish"] as const;

export type Shell = (typeof shells)[number];

/** A script that makes the shell ask `kubectl-moco __complete` what may stand where the cursor is. */
export const scripts: Readonly<Record<Shell, string>> = {
  bash: `# bash completion for kubectl-moco
_kubectl_moco() {
  local current="\${COMP_WORDS[COMP_CWORD]}" output candidate
  output=$(kubectl-moco __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null) || return
  COMPREPLY=()
  if [[ "\${output##*:}" == 0 ]]; then
    compopt -o default
    return
  fi
  while IFS=$'\\t' read -r candidate _; do
    [[ "$candidate" == "$current"* ]] && COMPREPLY+=("$candidate")
  done <<< "\${output%:*}"
}
complete -F _kubectl_moco kubectl-moco
`,
  zsh: `#compdef kubectl-moco
# zsh completion for kubectl-moco
_kubectl_moco() {
  local output line
  local -a candidates
  output=$(kubectl-moco __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null) || return
  if [[ "\${output##*:}" == 0 ]]; then
    _files
    return
  fi
  for line in "\${(@f)\${output%:*}}"; do
    [[ -n "$line" ]] && candidates+=("\${\${line%%$'\\t'*}//:/\\\\:}\${\${(M)line%$'\\t'*}:+:\${line#*$'\\t'}}")
  done
  _describe 'kubectl-moco' candidates
}
compdef _kubectl_moco kubectl-moco
`,
  fish: `# fish completion for kubectl-moco
function __kubectl_moco_complete
  set --local words (commandline --tokens-expanded --cut-at-cursor 2>/dev/null; or commandline -opc)
  set --local output (kubectl-moco __complete -- $words[2..] (commandline --current-token) 2>/dev/null)
  test (count $output) -gt 0; or return
  if test "$output[-1]" = ":0"
    __fish_complete_path (commandline --current-token)
    return
  end
  printf '%s\\n' $output[1..-2]
end
complete --command kubectl-moco --no-files --arguments '(__kubectl_moco_complete)'
`,
};
