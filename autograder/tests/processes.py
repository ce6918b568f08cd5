"""Look at the machine's processes, to see that nothing of a worker is left."""

from pathlib import Path


def parents():
    """Parent by pid, of every process that is no zombie."""
    found = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if fields[0] != "Z":
                found[int(folder.name)] = int(fields[1])
    return found


def children_of(pid, kind=""):
    """Direct children; with ``kind="template"`` only template processes."""
    found = [child for child, parent in parents().items() if parent == pid]
    if kind == "template":
        found = [child for child in found if b"pdgrade_worker" in command(child)]
    return sorted(found)


def command(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def descendants_of(pid):
    """Everything below a process."""
    links = parents()
    found, grown = set(), {pid}
    while grown:
        grown = {child for child, parent in links.items() if parent in grown} - found
        found |= grown
    return found
