"""A person at a shell: completion.py SHELL FILE LINE… types each line and a tab, and prints what the shell makes of it."""
import os, pty, re, select, sys, time

shell, file, *lines = sys.argv[1:]
starts = {"bash": ["bash", "--norc", "--noprofile", "-i"], "zsh": ["zsh", "-f", "-i"]}
begins = {"bash": "", "zsh": "bindkey -e; autoload -Uz compinit; compinit -u -D; "}
child, terminal = pty.fork()
if child == 0:
    os.execvp(shell, starts[shell])


def until(pattern):
    heard, end = b"", time.monotonic() + 30
    while True:
        found = re.search(pattern, heard)
        if found:
            return found
        left = end - time.monotonic()
        if left <= 0 or not select.select([terminal], [], [], left)[0]:
            sys.exit(f"heard only {heard!r}")
        heard += os.read(terminal, 4096)


# Written apart, so that the echo of the line is not taken for its output.
os.write(terminal, f"PS1=; {begins[shell]}source {file}; echo RE''ADY\n".encode())
until(rb"READY\r?\n")
for line in lines:
    # Home, and end: the line becomes an argument of echo.
    os.write(terminal, line.encode() + b"\t\x01echo '<' \x05 '>'\n")
    print(until(rb"[\r\n]< (.*?) +>\r?\n").group(1).decode())
os.write(terminal, b"\x15exit\n")
