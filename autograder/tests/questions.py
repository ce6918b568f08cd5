"""A small question for tests of the grading path, and cells that answer it."""

from textwrap import dedent

from pdgrade.assignment import CodeCell, Question, TestCell

#: Stands in hidden inputs: nothing that learners see may contain it.
SECRET = 987_654_321

VISIBLE = """
# 顺序不变
from pdsched.feedback import expect
expect(double, [1, 2]).returns([2, 4])
"""
HIDDEN = f"""
# 任意输入
from pdsched.feedback import expect
expect(double, []).returns([])
### BEGIN HIDDEN TESTS
for n in range({SECRET}, {SECRET} + 3):
    assert double([n, -n]) == [2 * n, -2 * n], f"hidden {{n}}"
### END HIDDEN TESTS
"""
REJECTS = """
# 拒绝非法输入
from pdsched.feedback import expect
expect(double, [-1]).returns([-2])
expect(double, None).raises(ValueError)
"""
PURE = """
# 不改动参数
from pdsched.feedback import expect
expect(double, [3, 4]).returns([6, 8])
expect(double, [3, 4]).is_pure()
"""
QUESTION = Question(
    "todo_double",
    ("double",),
    (
        TestCell("hidden_any", 2.0, HIDDEN),
        TestCell("visible", 1.0, VISIBLE),
        TestCell("rejects", 1.0, REJECTS),
        TestCell("pure", 1.0, PURE),
    ),
)
SOLUTION = """
def double(items):
    if items is None:
        raise ValueError("items")
    return [2 * item for item in items]
"""


def answer(*sources):
    """Cells named as the grader names them: the last one holds the answer."""
    labels = [f"cell[{n}]" for n in range(1, len(sources))] + ["todo_double"]
    return [CodeCell(label, dedent(source)) for label, source in zip(labels, sources, strict=True)]


def earned(record):
    """Points by test cell."""
    return {test.grade_id: test.points for test in record.tests}
