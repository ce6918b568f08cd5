"""The learner's side: what was handed in, built from the released notebooks by small changes."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent

from miniature import source as src
from pdgrade.assignment import without_regions

#: The right answers, in other words than the reference.
ANSWERS = {
    "todo1_summarize_request_mix": """
        def summarize_request_mix(requests, long_prompt_threshold):
            kinds = ["mixed", "prefill_heavy", "decode_heavy", "mixed"]
            counts = {"prefill_heavy": 0, "decode_heavy": 0, "mixed": 0}
            for r in requests:
                p = r["prompt_tokens"] > long_prompt_threshold
                d = r["decode_tokens"] > long_prompt_threshold // 8
                counts[kinds[p + 2 * d]] += 1
            return counts
    """,
    "concept_1a": """
        def concept_1a():
            return "B"
    """,
    "todo2_build_chunked_prefill_plan": """
        def build_chunked_prefill_plan(suffix_tokens, chunk_size):
            if chunk_size <= 0:
                raise ValueError("chunk_size")
            chunks = []
            for i, token in enumerate(suffix_tokens):
                if i % chunk_size == 0:
                    chunks.append([])
                chunks[-1].append(token)
            return chunks
    """,
    "todo4_plan_pd_split": """
        def plan_pd_split(requests, long_prompt_threshold, long_decode_threshold):
            pools = {"prefill_pool": [], "decode_pool": [], "shared_pool": []}
            for r in requests:
                p = r["prompt_tokens"] > long_prompt_threshold
                d = r["decode_tokens"] > long_decode_threshold
                name = "shared" if p == d else ("prefill" if p else "decode")
                pools[name + "_pool"].append(r["name"])
            return pools
    """,
}


@dataclass
class Handed:
    """A submission under construction: notebooks as JSON, other files as bytes."""

    notebooks: dict[str, dict]
    files: dict[str, bytes] = field(default_factory=dict)  # these win over the notebooks
    make: list[Callable[[Path], None]] = field(default_factory=list)  # links, devices, times

    def cells(self, name: str) -> list[dict]:
        """The cells of the notebook whose name begins so ("step1")."""
        return self.notebooks[self.full_name(name)]["cells"]

    def full_name(self, name: str) -> str:
        return next(key for key in self.notebooks if key.startswith(name))

    def find(self, grade_id: str) -> dict:
        """The cell with this grade_id, in whichever notebook it is."""
        for document in self.notebooks.values():
            for cell in document["cells"]:
                if cell["metadata"].get("nbgrader", {}).get("grade_id") == grade_id:
                    return cell
        raise KeyError(grade_id)

    def answer(self, grade_id: str, text: str) -> Handed:
        """Put other code into a solution cell."""
        self.find(grade_id)["source"] = dedent(text).strip()
        return self

    def insert(self, name: str, index: int, text: str, **metadata) -> Handed:
        """Add a code cell of the learner's own."""
        cell = {
            "cell_type": "code",
            "id": f"own-{index}-{len(self.cells(name))}",
            "metadata": metadata,
            "source": dedent(text).strip(),
            "outputs": [],
            "execution_count": None,
        }
        self.cells(name).insert(index, cell)
        return self

    def index(self, name: str, grade_id: str) -> int:
        """Where the cell with this grade_id stands."""
        return self.cells(name).index(self.find(grade_id))

    def bytes_of(self, name: str) -> bytes:
        """The notebook as a browser would save it."""
        document = self.notebooks[self.full_name(name)]
        return json.dumps(document, ensure_ascii=False, indent=1).encode("utf-8", "surrogatepass")

    def file(self, name: str, content: bytes) -> Handed:
        """Hand in this file instead of the notebook whose name begins so."""
        self.files[f"{self.full_name(name)}.ipynb"] = content
        del self.notebooks[self.full_name(name)]
        return self

    def rename(self, name: str, file_name: str) -> Handed:
        """Hand the notebook in under another file name."""
        self.files[file_name] = self.bytes_of(name)
        del self.notebooks[self.full_name(name)]
        return self

    def write(self, folder: Path) -> Path:
        """Write the submission into a learner's folder."""
        folder.mkdir(parents=True, exist_ok=True)
        for name in list(self.notebooks):
            (folder / f"{name}.ipynb").write_bytes(self.bytes_of(name))
        for name, content in self.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
        for step in self.make:
            step(folder)
        return folder


def released() -> Handed:
    """The notebooks as learners open them: stubs, visible tests."""
    notebooks = {}
    for name, specs in src.NOTEBOOKS.items():
        cells = [src.cell(i, *spec) for i, spec in enumerate(specs)]
        for cell in cells:
            cell["source"] = without_regions(cell["source"])
        notebooks[name] = src.notebook(cells)
    return Handed(copy.deepcopy(notebooks))


def honest() -> Handed:
    """Every question answered rightly, nothing else changed: 9 points."""
    handed = released()
    for grade_id, text in ANSWERS.items():
        handed.answer(grade_id, text)
    return handed
