"""Packages of a build, and a system in a folder into which dpkg installs them."""
import os
import shutil
import subprocess
import sys

PROGRAMS = os.path.join("usr", "lib", "steno")


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def version(package):
    """Returns the version of a package, which is the release of its programs."""
    return run("dpkg-deb", "--field", package, "Version").strip()


def make(build, folder):
    """Makes the package of a build in a folder; returns its path."""
    run("cpack", "-G", "DEB", "--config", os.path.join(build, "CPackConfig.cmake"), "-B", folder)
    [name] = [one for one in os.listdir(folder) if one.endswith(".deb")]
    return os.path.join(folder, name)


def make_later(package, programs):
    """Makes the same package with the programs of another folder; their release is its version.
    Returns its path."""
    tree = package + ".tree"
    run("dpkg-deb", "--raw-extract", package, tree)
    for name in os.listdir(programs):
        target = os.path.join(tree, PROGRAMS, name)
        if os.path.exists(target):
            run("strip", "-o", target, os.path.join(programs, name))
    release = run(os.path.join(programs, "steno"), "version").split()[1]
    control = os.path.join(tree, "DEBIAN", "control")
    with open(control, encoding="utf-8") as file:
        text = file.read()
    with open(control, "w", encoding="utf-8") as file:
        file.write(text.replace(f"Version: {version(package)}\n", f"Version: {release}\n"))
    later = package.replace(version(package), release)
    run("dpkg-deb", "--root-owner-group", "-Zgzip", "-z1", "--build", tree, later)
    shutil.rmtree(tree)
    return later


class System:
    """A folder that dpkg takes for a system. Programs there load this machine's libraries."""

    def __init__(self, folder):
        self.folder = folder
        for name in ("info", "updates"):
            os.makedirs(self.path("var/lib/dpkg", name))
        for name in ("status", "available"):
            with open(self.path("var/lib/dpkg", name), "w", encoding="ascii"):
                pass

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def dpkg(self, *arguments):
        """Returns what dpkg says; it must succeed."""
        done = subprocess.run(
            ["dpkg", f"--root={self.folder}", "--force-not-root", "--force-script-chrootless",
             "--force-depends", "--force-bad-path", "--log=/dev/null", *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
            env={**os.environ, "LC_ALL": "C.UTF-8"})
        assert done.returncode == 0, done.stdout
        return done.stdout


def main():
    """Makes the package of a build, and that of its later release, in a folder."""
    build, folder = sys.argv[1:]
    make_later(make(build, folder), os.path.join(build, "later"))


if __name__ == "__main__":
    main()
