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


def children_of(pid):
    """Direct children."""
    return sorted(child for child, parent in parents().items() if parent == pid)


def descendants_of(pid):
    """Everything below a process."""
    links = parents()
    found, grown = set(), {pid}
    while grown:
        grown = {child for child, parent in links.items() if parent in grown} - found
        found |= grown
    return found
