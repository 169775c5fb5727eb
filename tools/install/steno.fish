# Completion of steno for fish.
complete -c steno -a '(steno complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
