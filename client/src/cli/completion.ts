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

function casesOf(quote: (options: string) => string): string {
  return Object.entries(commands)
    .map(([name, options]) => `    ${name}) options=${quote(optionsOf(options))} ;;`)
    .join('\n');
}

// Bash takes a name apart at `:`, `=` and `@`, and puts what it is given in the place of the last part alone.
function bash(): string {
  return `# holdfast completion bash: source <(holdfast completion bash)
_holdfast() {
  local line="\${COMP_LINE:0:COMP_POINT}" word options="" name cut breaks="" each
  [[ "$line" =~ (([^[:space:]\\\\]|\\\\.)*)$ ]]
  word="\${BASH_REMATCH[1]}"
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W "${Object.keys(commands).join(' ')}" -- "$word")
    return
  fi
  # The command that run is given: files, as anywhere.
  [[ "$line" == *" -- "* ]] && return
  case "\${COMP_WORDS[1]}" in
${casesOf((options) => `"${options}"`)}
  esac
  if [[ "$word" == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
    return
  fi
  case "\${COMP_WORDS[1]}" in
    ${named.join('|')})
      for each in : = @; do [[ "$COMP_WORDBREAKS" == *"$each"* ]] && breaks+="$each"; done
      cut=""
      [ -n "$breaks" ] && cut="\${word%"\${word##*[$breaks]}"}"
      while IFS= read -r name; do
        name="$(printf '%q' "$name")"
        [[ "$name" == "$word"* ]] && COMPREPLY+=("\${name#"$cut"}")
      done < <(holdfast ls --names --limit 500 2>/dev/null) ;;
  esac
}
complete -o default -F _holdfast holdfast
`;
}

function zsh(): string {
  return `#compdef holdfast
# holdfast completion zsh: source <(holdfast completion zsh)
_holdfast() {
  local -a options names
  if (( CURRENT == 2 )); then
    compadd -- ${Object.keys(commands).join(' ')}
    return
  fi
  # The command that run is given: files, as anywhere.
  if (( words[(i)--] < CURRENT )); then
    _files
    return
  fi
  case "$words[2]" in
${casesOf((options) => `(${options})`)}
  esac
  if [[ "$PREFIX" == -* ]]; then
    compadd -- $options
    return
  fi
  case "$words[2]" in
    ${named.join('|')})
      names=("\${(@f)$(holdfast ls --names --limit 500 2>/dev/null)}")
      compadd -- $names ;;
  esac
}
(( $+functions[compdef] )) && compdef _holdfast holdfast
`;
}
