import { commands, only, type Arguments } from './options.js';
import { print } from './print.js';
import { exitCodes, UsageError } from './usage.js';

const everywhere = ['--url', '--json', '--help'];
const named = ['run', 'show', 'history', 'watch', 'check', 'force-release', 'hold'];

/** Made from the table of commands, so that it knows what the parser knows. */
export function completion(given: Arguments): number {
  const [shell] = only(given, ['bash or zsh']);
  if (shell === 'bash') print(bash());
  else if (shell === 'zsh') print(zsh());
  else throw new UsageError('Give bash or zsh');
  return exitCodes.ok;
}

function optionsOf(options: object): string {
  return [...Object.keys(options).map((name) => `--${name}`), ...everywhere].join(' ');
}

function bash(): string {
  const cases = Object.entries(commands)
    .map(([name, options]) => `    ${name}) words="${optionsOf(options)}" ;;`)
    .join('\n');
  return `# holdfast completion bash: source <(holdfast completion bash)
_holdfast() {
  local word="\${COMP_WORDS[COMP_CWORD]}" command="\${COMP_WORDS[1]}" words=""
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W "${Object.keys(commands).join(' ')}" -- "$word")
    return
  fi
  case "$command" in
${cases}
  esac
  if [[ "$word" == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
    return
  fi
  case "$command" in
    ${named.join('|')})
      local name
      while IFS= read -r name; do
        [[ "$name" == "$word"* ]] && COMPREPLY+=("$(printf '%q' "$name")")
      done < <(holdfast ls --names --limit 500 2>/dev/null) ;;
  esac
}
complete -F _holdfast holdfast
`;
}

function zsh(): string {
  const cases = Object.entries(commands)
    .map(([name, options]) => `    ${name}) words=(${optionsOf(options)}) ;;`)
    .join('\n');
  return `#compdef holdfast
# holdfast completion zsh: source <(holdfast completion zsh)
_holdfast() {
  local -a words names
  if (( CURRENT == 2 )); then
    compadd -- ${Object.keys(commands).join(' ')}
    return
  fi
  local command="\${words[2]:-$service}"
  local current="\${PREFIX}"
  command="\${(Q)\${(z)BUFFER}[2]}"
  case "$command" in
${cases}
  esac
  if [[ "$current" == -* ]]; then
    compadd -- $words
    return
  fi
  case "$command" in
    ${named.join('|')})
      names=("\${(@f)$(holdfast ls --names --limit 500 2>/dev/null)}")
      compadd -- $names ;;
  esac
}
(( $+functions[compdef] )) && compdef _holdfast holdfast
`;
}
