"""Reads tests/campaigns.toml: every simulation, fuzzer, crash test and set of mutants, with its long
command, and the canary of each kind, which must fail."""
import dataclasses
import shlex
import subprocess
import tomllib

KINDS = ("simulation", "fuzzer", "crash", "mutants")
ALL = "all"  # the goal of a campaign that covers everything in one run
RUNS = "runs"  # the unit of a command that does not count: one run that ended well


class RegistryError(Exception):
    """The registry cannot be used; the text says where and why."""


@dataclasses.dataclass(frozen=True)
class Campaign:
    name: str
    kind: str
    what: str
    long: str = ""  # the command, with {seed}, {count}, {seconds}, {build} and {item}
    unit: str = ""  # the counted unit; also its name in the JSON at the end of the output
    goal: int | str = 0
    portion: int = 1  # units of one run of `long`
    seed: str = ""  # how a seed is given
    smoke: str = ""  # ctest arguments
    preset: str = ""  # built before it runs: `targets` of this preset
    targets: tuple = ()
    limit: float = 30.0  # minutes after which a portion hangs
    in_sequence: bool = False  # a unit depends on those before it in its portion
    each: str = ""  # a command that lists items: one campaign for each
    item: str = ""
    of: str = ""  # a canary's kind
    expect: str = ""  # text that a canary's output must hold
    error: str = ""  # why it cannot be run

    @property
    def is_canary(self):
        return self.kind == "canary"

    @property
    def build(self):
        return f"build/{self.preset}"

    def smoke_arguments(self):
        return tuple(shlex.split(self.smoke))

    def command(self, seed, count, seconds):
        text = self.long
        for name, value in (("seed", seed), ("count", count), ("seconds", seconds),
                            ("build", self.build), ("item", self.item)):
            text = text.replace("{" + name + "}", str(value))
        return text


_NEEDED = {"name", "kind", "what", "long"}
_OF_CAMPAIGN = {"unit", "goal", "seed", "smoke"}
_OF_CANARY = {"of", "expect"}
_NAMES = {field.name for field in dataclasses.fields(Campaign)} - {"item", "error"}


def _check(entry):
    name = entry.get("name", "an entry without a name")
    is_canary = entry.get("kind") == "canary"
    needed = _NEEDED | (_OF_CANARY if is_canary else _OF_CAMPAIGN)
    if missing := needed - set(entry):
        raise RegistryError(f"{name}: {', '.join(sorted(missing))} missing")
    if unknown := set(entry) - _NAMES:
        raise RegistryError(f"{name}: unknown: {', '.join(sorted(unknown))}")
    kind = entry["of"] if is_canary else entry["kind"]
    if kind not in KINDS:
        raise RegistryError(f"{name}: '{kind}' is no kind; there are {', '.join(KINDS)}")
    if is_canary:
        return
    if entry["goal"] == ALL:
        if "portion" in entry:
            raise RegistryError(f"{name}: goal \"all\" has no portions: it is one run")
    elif not isinstance(entry["goal"], int) or entry["goal"] < 1:
        raise RegistryError(f"{name}: the goal is a number of {entry['unit']}, or \"all\"")
    elif entry["unit"] == RUNS:
        if "portion" in entry:
            raise RegistryError(f"{name}: a portion of runs is one")
    elif not isinstance(entry.get("portion"), int) or entry["portion"] < 1:
        raise RegistryError(f"{name}: portion missing: how many {entry['unit']} are one run")
    elif "{count}" not in entry["long"]:
        raise RegistryError(f"{name}: {{count}} is not in its long command")
    limit = entry.get("limit", 1)
    if not isinstance(limit, int | float) or not limit > 0:
        raise RegistryError(f"{name}: the limit of a portion is a number of minutes")
    if ("{item}" in entry["long"]) != ("each" in entry):
        raise RegistryError(f"{name}: {{item}} and `each` belong together")


def read(path):
    """Returns the entries as they stand in the file."""
    try:
        with open(path, "rb") as file:
            entries = tomllib.load(file).get("campaign", [])
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise RegistryError(f"{path}: {error}") from error
    campaigns = []
    for entry in entries:
        _check(entry)
        campaigns.append(Campaign(**{**entry, "targets": tuple(entry.get("targets", ()))}))
    names = [campaign.name for campaign in campaigns]
    for name in names:
        if names.count(name) > 1:
            raise RegistryError(f"{name} stands there twice")
    for kind in {campaign.kind for campaign in campaigns if not campaign.is_canary}:
        if not any(campaign.of == kind for campaign in campaigns):
            raise RegistryError(f"{kind}: no canary, so nothing shows that one can fail")
    return campaigns


def expand(campaign, root):
    """Returns the campaign, or one for each item that its `each` lists."""
    if not campaign.each:
        return [campaign]
    listed = subprocess.run(["env", *shlex.split(campaign.each)], cwd=root, capture_output=True,
                            text=True, check=False)
    items = listed.stdout.split()
    if listed.returncode != 0 or not items:
        said = (listed.stderr or listed.stdout).strip().splitlines() or ["it said nothing"]
        error = f"`{campaign.each}` lists nothing: {said[-1]}"
        return [dataclasses.replace(campaign, error=error)]
    return [dataclasses.replace(campaign, name=f"{campaign.name}:{item}", item=item, targets=tuple(
                target.replace("{item}", item) for target in campaign.targets))
            for item in items]
