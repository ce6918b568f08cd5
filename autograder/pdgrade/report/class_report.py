"""The class at a glance: distribution, hardest checks, and the state of every submission."""

from __future__ import annotations

import csv
import io
import math
import secrets
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any

from pdgrade.assignment import Assignment
from pdgrade.grading.batch import first_note
from pdgrade.records import Note, SubmissionRecord
from pdgrade.report.feedback_page import environment, shown, title_of
from pdsched import messages

INK, GRID = "#1f2933", "#e1e7ec"
BLUE, ORANGE, GREY = "#0b63a5", "#c2410c", "#9aa5b1"
#: From here on plotly puts its ticks on whole numbers by itself.
WHOLE_TICKS = 6
TIME_BINS = 40
STATUS_ORDER = ("graded", "partial", "timeout", "unreadable", "missing", "failed")


@dataclass(frozen=True)
class Row:
    """One submission in the table and in the CSV."""

    student: str
    status: str
    points: float
    max_points: float
    penalty: float
    late_hours: float
    submitted_at: str
    wall_s: float
    isolation: str
    note: str
    notebooks: tuple[float, ...]


@dataclass
class ClassView:
    """Everything the report shows, gathered in one pass over the records."""

    assignment: Assignment
    rows: list[Row] = field(default_factory=list)
    verdicts: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    titles: dict[str, str] = field(default_factory=dict)

    def add(self, record: SubmissionRecord) -> None:
        """Take one submission in; only its numbers are kept."""
        self.rows.append(_row(record))
        if record.status in ("missing", "unreadable", "failed"):
            return
        for question in record.questions:
            for test in question.tests:
                self.verdicts[test.grade_id][test.verdict] += 1
                self.titles.setdefault(test.grade_id, test.title)


def gather(assignment: Assignment, records: Iterable[SubmissionRecord]) -> ClassView:
    """Read all records of an assignment."""
    view = ClassView(assignment)
    for record in records:
        view.add(record)
    return view


def _row(record: SubmissionRecord) -> Row:
    return Row(
        student=record.student,
        status=record.status,
        points=record.points - record.penalty,
        max_points=record.max_points,
        penalty=record.penalty,
        late_hours=record.late_seconds / 3600,
        submitted_at=record.submitted_at,
        wall_s=record.wall_ms / 1000,
        isolation=record.isolation,
        note=first_note(record),
        notebooks=tuple(notebook.points for notebook in record.notebooks),
    )


def render(view: ClassView) -> str:
    """The report as one HTML file; plotly is inside, nothing is loaded from elsewhere."""
    from plotly.offline import get_plotlyjs

    scored = [row.points for row in view.rows if row.status not in ("missing", "failed")]
    counts = Counter(row.status for row in view.rows)
    figures = {
        "distribution": distribution(view),
        "checks": hardest_checks(view),
        "time": time_used(view),
    }
    return (
        environment()
        .get_template("class.html.j2")
        .render(
            language=messages.language(),
            assignment=view.assignment,
            rows=sorted(view.rows, key=_attention),
            statuses=[
                (s, Note(f"status_{s}").text(), counts[s]) for s in STATUS_ORDER if counts[s]
            ],
            status_text={s: Note(f"status_{s}").text() for s in STATUS_ORDER},
            mean=statistics.fmean(scored) if scored else 0.0,
            median=statistics.median(scored) if scored else 0.0,
            max_points=view.assignment.max_points,
            isolation=Counter(row.isolation for row in view.rows if row.isolation).most_common(),
            figures={key: _safe_json(figure) for key, figure in figures.items()},
            plotly=get_plotlyjs(),
            nonce=secrets.token_urlsafe(16),
            made=datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        )
    )


def _attention(row: Row) -> tuple[int, str]:
    """What needs a person comes first, then by student."""
    urgent = row.status in ("failed", "unreadable", "timeout")
    return (0 if urgent else 1 if row.status == "partial" else 2, row.student)


def _safe_json(figure: Any) -> str:
    """A figure's JSON that cannot end the script element it stands in."""
    text = str(figure.to_json())
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def distribution(view: ClassView) -> Any:
    """How many submissions reached which score."""
    top = view.assignment.max_points
    values = [row.points for row in view.rows if row.status not in ("missing", "failed")]
    size = max(1, round(top / 22))
    bins = math.ceil((top + 1) / size)
    figure = _histogram(values, top + 0.5 - bins * size, size, bins)  # full marks: the right edge
    figure.update_xaxes(title=messages.text("grader.class_points"))
    return _styled(figure, 320)


def _histogram(values: Sequence[float], start: float, size: float, bins: int) -> Any:
    """How many values lie in each of `bins` bins from `start`; the axis shows all of them."""
    import plotly.graph_objects as go

    end = start + bins * size
    edges = {"start": start, "end": end, "size": size}
    figure = go.Figure(go.Histogram(x=values, xbins=edges, autobinx=False, marker={"color": BLUE}))
    most = max(Counter((value - start) // size for value in values).values(), default=1)
    whole = {"dtick": 1} if most < WHOLE_TICKS else {}  # plotly would halve a count of one
    figure.update_xaxes(range=[start, end])
    title = messages.text("grader.class_submissions")
    figure.update_yaxes(title=title, rangemode="tozero", **whole)
    return figure


def hardest_checks(view: ClassView) -> Any:
    """For each test cell, the share that passed, was wrong and was not written; hardest on top."""
    import plotly.graph_objects as go

    shares = {name: _shares(found) for name, found in view.verdicts.items()}
    names = sorted(shares, key=lambda name: (-shares[name][0], name))
    figure = go.Figure()
    colours = (BLUE, ORANGE, GREY)
    keys = ("class_passed", "class_wrong", "class_unwritten")
    for i, (colour, key) in enumerate(zip(colours, keys, strict=True)):
        pattern = ("", "/", ".")[i]
        figure.add_bar(
            orientation="h",
            name=messages.text(f"grader.{key}"),
            y=names,
            x=[shares[name][i] for name in names],
            marker={"color": colour, "pattern": {"shape": pattern, "solidity": 0.25}},
            customdata=[shown(title_of(name, view.titles.get(name, "")), 80) for name in names],
            hovertemplate="%{y}<br>%{customdata}<br>%{x:.0%}<extra>%{fullData.name}</extra>",
        )
    figure.update_layout(
        barmode="stack",
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "traceorder": "normal"},
    )
    figure.update_xaxes(tickformat=".0%", range=[0, 1.001])
    return _styled(figure, 120 + 22 * max(4, len(names)))


def _shares(found: Counter[str]) -> tuple[float, float, float]:
    total = sum(found.values()) or 1
    idle = found["unwritten"] + found["not_run"]
    return (found["passed"] / total, (total - found["passed"] - idle) / total, idle / total)


def time_used(view: ClassView) -> Any:
    """Seconds per submission."""
    values = [row.wall_s for row in view.rows if row.wall_s > 0]
    size = max(values, default=1.0) / (TIME_BINS - 1)  # the longest one lies inside the last bin
    figure = _histogram(values, 0.0, size, TIME_BINS)
    figure.update_xaxes(title=messages.text("grader.class_seconds"))
    return _styled(figure, 260)


def _styled(figure: Any, height: int) -> Any:
    font = {"family": "system-ui, 'PingFang SC', 'Noto Sans CJK SC', sans-serif", "color": INK}
    figure.update_layout(
        height=height,
        margin={"l": 10, "r": 10, "t": 30, "b": 40},
        font=font,
        paper_bgcolor="white",
        plot_bgcolor="white",
        bargap=0.12,
    )
    figure.update_xaxes(gridcolor=GRID, automargin=True)
    figure.update_yaxes(gridcolor=GRID, automargin=True)
    return figure


def to_csv(view: ClassView) -> str:
    """The table as CSV with a byte order mark, so that Excel reads Chinese names."""
    out = io.StringIO()
    writer = csv.writer(out)
    names = [notebook.name for notebook in view.assignment.notebooks]
    head = ["student", "status", "points", "max_points", *names, "penalty", "late_hours"]
    writer.writerow([*head, "submitted_at_utc", "wall_s", "isolation", "note"])
    for row in sorted(view.rows, key=lambda row: row.student):
        numbers = [
            row.points,
            row.max_points,
            *row.notebooks,
            row.penalty,
            round(row.late_hours, 2),
        ]
        texts = [row.submitted_at, round(row.wall_s, 3), row.isolation, row.note]
        writer.writerow([cell_text(row.student), row.status, *numbers, *map(cell_text, texts)])
    return "\ufeff" + out.getvalue()


def cell_text(value: object) -> object:
    """A text that a spreadsheet does not take for a formula."""
    if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r"):
        return "'" + value
    return value
