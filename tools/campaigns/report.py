"""Tables of the campaigns, and of their runs against the goals."""
import dataclasses

from . import registry


@dataclasses.dataclass
class Sum:
    count: int = 0  # without a finding
    current: int = 0  # of these, on the product's current sources
    seconds: float = 0.0
    findings: int = 0
    current_findings: int = 0
    open: int = 0  # findings whose numbers have not run clean since, on any sources
    figures: dict = dataclasses.field(default_factory=dict)


def sums(campaign, ledger, product):
    total = Sum()
    for entry in ledger.of(campaign.name):
        is_current = entry["product"] == product
        total.seconds += entry["seconds"]
        total.findings += entry["findings"]
        total.figures = entry.get("figures") or total.figures
        total.current_findings += entry["findings"] if is_current else 0
        if entry["findings"]:
            continue
        if campaign.goal == registry.ALL:
            total.count = entry["count"]
            total.current = entry["count"] if is_current else 0
        else:
            total.count += entry["count"]
            total.current += entry["count"] if is_current else 0
    total.open = len(ledger.open_findings(campaign))
    return total


def is_reached(campaign, total):
    if total.open:
        return False
    return total.current > 0 if campaign.goal == registry.ALL else total.current >= campaign.goal


def duration(seconds):
    minutes, seconds = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02} min"
    return f"{minutes} min {seconds:02} s" if minutes else f"{seconds} s"


def number(value):
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"


def _figures(figures):
    return ", ".join(f"{name} {number(value)}" for name, value in figures.items()
                     if isinstance(value, int | float) and not isinstance(value, bool))


def table(campaigns, ledger, product):
    """Returns the table in Markdown."""
    lines = ["| Campaign | Goal | On these sources | In all | Findings, of these, open | Took | Said |",
             "|---|---|---|---|---|---|---|"]
    for campaign in campaigns:
        total = sums(campaign, ledger, product)
        is_all = campaign.goal == registry.ALL
        goal = ("all " if is_all else number(campaign.goal) + " ") + campaign.unit
        mark = " ✓" if is_reached(campaign, total) else ""
        lines.append(f"| `{campaign.name}` | {goal} | {number(total.current)}{mark} | "
                     f"{number(total.count)} | {total.findings}, {total.current_findings}, "
                     f"{total.open} | "
                     f"{duration(total.seconds)} | {_figures(total.figures)} |")
    return "\n".join(lines)


def listing(campaigns):
    lines = []
    for campaign in campaigns:
        lines.append(f"{campaign.name} ({campaign.kind}): {campaign.what}")
        if campaign.error:
            lines.append(f"  cannot be run: {campaign.error}")
            continue
        if not campaign.is_canary:
            goal = campaign.goal if campaign.goal == registry.ALL else number(campaign.goal)
            lines.append(f"  goal   {goal} {campaign.unit}; seed: {campaign.seed}")
            lines.append(f"  smoke  ctest {campaign.smoke}")
        lines.append(f"  long   {campaign.command('SEED', 'COUNT', 'SECONDS')}")
    return "\n".join(lines)
