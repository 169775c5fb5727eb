"""A program that stands for a user's systemd: it reads the unit as systemd does, and starts and
ends what that says."""
import os
import stat

SYSTEMD = r'''#!/usr/bin/python3
import os, re, shlex, signal, socket, subprocess, sys
home, config = os.environ["TWIN"], os.environ["XDG_CONFIG_HOME"]
unit = os.path.join(config, "systemd/user/steno.service")
state = lambda name: os.path.join(home, name)
def put(name, text=""):
    with open(state(name), "w") as file: file.write(text)
def drop(name):
    if os.path.exists(state(name)): os.remove(state(name))
with open(state("calls"), "a") as file: file.write(" ".join(sys.argv[1:]) + "\n")
words = [word for word in sys.argv[1:] if word not in ("--user", "--quiet", "steno.service")]
if os.path.exists(state("down")): sys.exit("Failed to connect to bus: No medium found")
if words[:1] == ["show"]:
    pid = open(state("pid")).read() if os.path.exists(state("pid")) else "0"
    up = pid != "0" and os.path.exists("/proc/" + pid)
    ready = os.path.exists(state("ready"))
    print("MainPID=" + (pid if up else "0"))
    print("ActiveState=" + ("inactive" if not up else "active" if ready else "activating"))
    print("UnitFileState=" + ("enabled" if os.path.exists(state("enabled")) else ""))
if words == ["daemon-reload"] and os.path.exists(unit): put("unit", open(unit).read())
if words == ["enable"]: put("enabled")
if words == ["start", "--no-block"]:
    text = open(state("unit")).read()
    def unquoted(key):
        found = re.findall("(?m)^%s=(.*)$" % key, text)
        assert len(found) == 1, found
        return [word.replace("%%", "%") for word in shlex.split(found[0])]
    command = [word.replace("$$", "$") for word in unquoted("ExecStart")]
    environment = dict(word.split("=", 1) for word in unquoted("Environment"))
    told = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    told.bind(state("notify"))
    told.settimeout(60)
    child = subprocess.Popen(command, cwd="/", start_new_session=True, stdin=subprocess.DEVNULL,
                             stdout=open(state("journal"), "ab"), stderr=subprocess.STDOUT,
                             env={"HOME": os.environ["HOME"], "NOTIFY_SOCKET": state("notify"),
                                  **environment})
    put("pid", str(child.pid))
    if os.fork() == 0:
        null = os.open(os.devnull, os.O_RDWR)
        for number in range(3): os.dup2(null, number)
        if told.recv(64) == b"READY=1": put("ready")
if words == ["disable", "--now"]:
    drop("enabled")
    os.kill(int(open(state("pid")).read()), signal.SIGTERM)
    drop("pid")
    drop("ready")
'''


def put(home):
    """Has the commands of this home find it, and the programs beside it, before all others. Returns
    the path of the unit."""
    programs = home.path("bin")
    os.mkdir(programs)
    os.mkdir(home.path("twin"))
    for name, text in (("systemctl", SYSTEMD), ("loginctl", "#!/bin/sh\nexit 1\n"),
                       ("journalctl", '#!/bin/sh\necho "$@"\n')):
        path = os.path.join(programs, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, stat.S_IRWXU)
    home.environment.update(PATH=f"{programs}:{home.environment['PATH']}",
                            XDG_CONFIG_HOME=home.path("config"), TWIN=home.path("twin"),
                            USER="somebody")
    return home.path("config", "systemd", "user", "steno.service")
