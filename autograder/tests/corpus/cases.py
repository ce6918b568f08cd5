"""The table: what was done to an honest submission, and what grading must make of it.

Points: todo1 3 (2 + 1), concept 1, todo2 3 (2 + 1), todo4 2; 9 in all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from miniature.handed_in import Handed, honest, released

from corpus import cells, code, files


@dataclass(frozen=True)
class Case:
    """One odd submission.

    Attributes:
        name: what is odd about it.
        build: makes it.
        points: what it must score, of 9.
        status: of the submission.
        notes: message keys that must be among its notes.
    """

    name: str
    build: Callable[[], Handed]
    points: float
    status: str = "graded"
    notes: tuple[str, ...] = ()


def _with(change: Callable[[Handed], object]) -> Callable[[], Handed]:
    def build() -> Handed:
        handed = honest()
        change(handed)
        return handed

    return build


CASES: tuple[Case, ...] = (
    Case("honest", honest, 9),
    Case("nothing written", released, 0),
    # Cells: copied, split, moved, relabelled.
    Case("answer copied", _with(cells.copied), 9, notes=("duplicate_kept_one",)),
    Case("copy is wrong", _with(cells.wrong_copy_below), 9, notes=("duplicate_kept_one",)),
    Case(
        "stub left, answer in a copy", _with(cells.answer_in_copy), 9, notes=("duplicate_kept_one",)
    ),
    Case("answer split in two", _with(cells.split), 9, notes=("split_joined",)),
    Case("helper split off with its label", _with(cells.split_helper), 9),
    Case("two cells with one grade_id", _with(cells.same_grade_id_twice), 9),
    Case("cells in reverse order", _with(cells.reversed_order), 9),
    Case("test deleted", _with(cells.test_deleted), 9, notes=("test_reinserted",)),
    Case("all tests deleted", _with(cells.all_tests_deleted), 9, notes=("test_reinserted",)),
    Case("test edited to pass", _with(cells.test_edited), 7, notes=("test_restored",)),
    Case("test turned to markdown", _with(cells.test_to_markdown), 9, notes=("test_restored",)),
    Case(
        "answer turned to markdown",
        _with(cells.answer_to_markdown),
        9,
        notes=("cell_type_restored",),
    ),
    Case("answer turned to raw", _with(cells.answer_to_raw), 9, notes=("cell_type_restored",)),
    Case("answer cell deleted", _with(cells.answer_deleted), 6, "partial", ("solution_missing",)),
    Case("all metadata stripped", _with(cells.metadata_stripped), 9, notes=("matched_cell_id",)),
    Case("metadata and ids stripped", _with(cells.all_stripped), 9, notes=("matched_content",)),
    Case(
        "stripped and shuffled", _with(cells.stripped_and_reversed), 9, notes=("matched_content",)
    ),
    Case(
        "stripped, function renamed",
        _with(cells.stripped_and_renamed),
        6,
        notes=("matched_position",),
    ),
    Case("grade false, points null", _with(cells.points_nulled), 9),
    Case("points raised to 1000", _with(cells.points_raised), 9),
    Case("an extra metadata key", _with(cells.extra_key), 9),
    Case("another question's grade_id", _with(cells.labels_swapped), 9, notes=("matched_cell_id",)),
    Case("every grade_id a number", _with(cells.labels_are_numbers), 9),
    Case("metadata is a list", _with(cells.metadata_is_a_list), 9),
    Case("duplicate cell ids", _with(cells.duplicate_ids), 9),
    Case("cells without ids", _with(cells.no_ids), 9),
    Case("provided import deleted", _with(cells.provided_deleted), 9),
    Case("provided cell extended", _with(cells.provided_extended), 9),
    Case("answer in a cell of one's own", _with(cells.own_cell_answer), 9),
    Case(
        "older release without a question",
        _with(cells.older_release),
        7,
        "partial",
        ("solution_missing",),
    ),
    Case("source is a list of lines", _with(cells.sources_as_lists), 9),
    Case("a cell is not an object", _with(cells.cell_is_a_string), 9),
    # Code: helpers, noise, endless, fatal.
    Case("helpers and imports", _with(code.helpers), 9),
    Case("helper defined after the tests", _with(code.helper_below), 9),
    Case("lambda as answer", _with(code.lambda_answer), 9),
    Case("answer under if", _with(code.conditional_definition), 9),
    Case("decorated answer", _with(code.decorated), 9),
    Case("recursive answer", _with(code.recursive), 9),
    Case("one answer calls another", _with(code.calls_another), 9),
    Case("warnings and stderr", _with(code.stderr_noise), 9),
    Case("prints on every call", _with(code.prints), 9),
    Case("syntax error in one answer", _with(code.syntax_error), 6),
    Case("tabs and spaces mixed", _with(code.tab_error), 6),
    Case("exception at top level of an answer", _with(code.raises_at_top), 6),
    Case("name error in one answer", _with(code.name_error), 6),
    Case("scratch cell raises", _with(code.scratch_raises), 9),
    Case(
        "scratch cell is no Python", _with(code.scratch_not_python), 9, notes=("cell_not_python",)
    ),
    Case("scratch cell never ends", _with(code.scratch_never_ends), 9, notes=("aside_left_out",)),
    Case("scratch cell exits", _with(code.scratch_exits), 9, notes=("aside_left_out",)),
    Case("infinite loop in an answer", _with(code.infinite_loop), 6, "partial"),
    Case("except BaseException loop", _with(code.stubborn_loop), 6, "partial"),
    Case("endless recursion", _with(code.endless_recursion), 6),
    Case("allocates without end", _with(code.memory_loop), 6),
    Case("os._exit in an answer", _with(code.os_exit), 6, "partial"),
    Case("loop beside an import that others share", _with(code.loop_beside_import), 6, "partial"),
    Case("exit beside an import that others share", _with(code.exit_beside_import), 6, "partial"),
    Case("helper in another answer", _with(code.helper_in_another_answer), 9),
    Case(
        "helper in an answer that exits",
        _with(code.helper_in_fatal_answer),
        6,
        "partial",
        ("answer_left_out",),
    ),
    Case(
        "scratch cell calls an answer that loops",
        _with(code.fatal_answer_in_scratch),
        6,
        "partial",
        ("answer_left_out",),
    ),
    Case("exit() in an answer", _with(code.plain_exit), 6),
    Case("segfault", _with(code.segfault), 6, "partial"),
    Case("input() in an answer", _with(code.asks_input), 6),
    Case("input() in a scratch cell", _with(code.scratch_asks), 9),
    Case("20 MB on one line", _with(code.prints_20_mb), 9),
    Case("printing without end", _with(code.prints_for_ever), 6, "partial"),
    Case("magics and shell lines", _with(code.magics), 9, notes=("magic_skipped",)),
    Case("%%bash and %%writefile cells", _with(code.cell_magics), 9, notes=("magic_skipped",)),
    Case("%%time over an answer", _with(code.time_magic), 9, notes=("magic_skipped",)),
    Case("google.colab in an answer", _with(code.colab), 9, notes=("colab_skipped",)),
    Case(
        "google.colab results kept in names",
        _with(code.colab_kept),
        9,
        notes=("colab_skipped",),
    ),
    Case("shell line over several lines", _with(code.long_shell_line), 9, notes=("magic_skipped",)),
    Case("table filled by a function of one's own", _with(code.filled_table), 9),
    Case("import * above another answer", _with(code.star_import_elsewhere), 9),
    Case("await at the top of a cell", _with(code.top_level_await), 9),
    Case("annotations from __future__ in an earlier cell", _with(code.future_annotations), 9),
    Case("display() and help()", _with(code.displays), 9),
    Case("mutates its argument", _with(code.mutates), 8),
    Case("returns a tuple for a list", _with(code.returns_tuple), 7),
    Case("returns None", _with(code.returns_none), 7),
    Case("NotImplementedError left below the code", _with(code.unreachable_stub), 9),
    Case("constants hard-coded for the visible test", _with(code.hard_coded), 6),
    Case("Chinese identifiers", _with(code.chinese_names), 9),
    # Files: encodings, names, damage, links.
    Case("UTF-8 with BOM", _with(files.bom), 9, notes=("encoding",)),
    Case("UTF-16", _with(files.utf16), 9, notes=("encoding",)),
    Case("UTF-16 without mark", _with(files.utf16_bare), 9, notes=("encoding",)),
    Case("GBK", _with(files.gbk), 9, notes=("encoding",)),
    Case("CRLF everywhere", _with(files.crlf), 9),
    Case("NUL bytes in the code", _with(files.nul_in_code), 9, notes=("nul_removed",)),
    Case("file padded with NUL", _with(files.nul_padding), 9),
    Case("lone surrogate in a comment", _with(files.surrogate), 9),
    Case("damaged byte in a comment", _with(files.damaged_byte), 9, notes=("bytes_replaced",)),
    Case("Colab export", _with(files.colab_export), 9),
    Case("nbformat 3", _with(files.nbformat3), 9, notes=("old_nbformat",)),
    Case("kernelspec py310-mine", _with(files.odd_kernel), 9),
    Case("no metadata at all", _with(files.no_metadata), 9),
    Case("10 MB of outputs", _with(files.huge_outputs), 9),
    Case("name (1)", _with(files.downloaded_twice), 9, notes=("found_by_name",)),
    Case("name with initials", _with(files.initials), 9, notes=("found_by_name",)),
    Case("Chinese name", _with(files.chinese_name), 9, notes=("found_by_content",)),
    Case(
        "names of the notebooks swapped", _with(files.swapped_names), 9, notes=("found_by_content",)
    ),
    Case("in a subfolder", _with(files.subfolder), 9),
    Case("suffix .ipynb.txt", _with(files.txt_suffix), 9, notes=("found_by_name",)),
    Case("suffix .IPYNB", _with(files.upper_suffix), 9),
    Case("suffix .json", _with(files.json_suffix), 9),
    Case(
        "stub beside the answer (1)",
        _with(files.stub_beside_answer),
        9,
        notes=("newest_file_used",),
    ),
    Case("both steps in one file", _with(files.merged), 9),
    Case("one notebook missing", _with(files.one_missing), 4, "partial", ("notebook_missing",)),
    Case("a whole project around it", _with(files.project_around), 9),
    Case(
        "250 notebooks before the real ones",
        _with(files.notebooks_before),
        9,
        notes=("found_by_name",),
    ),
    Case("checkpoints beside it", _with(files.checkpoints), 9),
    Case("empty file", _with(files.empty), 4, "partial", ("empty_file",)),
    Case("truncated JSON", _with(files.truncated), 4, "partial", ("truncated",)),
    Case("saved HTML page", _with(files.html_page), 4, "partial", ("html_page",)),
    Case("nbformat 5", _with(files.nbformat5), 4, "partial", ("nbformat_too_new",)),
    Case("merge conflict", _with(files.merge_conflict), 4, "partial", ("merge_conflict",)),
    Case("a zip named .ipynb", _with(files.zip_as_notebook), 4, "partial", ("zip_not_notebook",)),
    Case("a script named .ipynb", _with(files.script), 4, "partial", ("python_script",)),
    Case("Git LFS pointer", _with(files.lfs), 4, "partial", ("lfs_pointer",)),
    Case("symlink to /etc/passwd", _with(files.symlink), 4, "partial", ("link_refused",)),
    Case("a FIFO", _with(files.fifo), 4, "partial", ("not_a_file",)),
    Case("JSON nested 100,000 deep", _with(files.deep), 4, "partial", ("too_deep",)),
    Case("80 MB file", _with(files.oversize), 4, "partial", ("too_large",)),
    Case("all files unreadable", _with(files.all_unreadable), 0, "unreadable", ("html_page",)),
    Case("no files", _with(files.nothing), 0, "missing", ("notebook_missing",)),
    Case("only other files", _with(files.only_pictures), 0, "missing", ("notebook_missing",)),
)
