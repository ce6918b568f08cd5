"""The visual language: one role, one colour, one pattern, everywhere.

Colours follow Okabe and Ito's set (distinguishable with any common colour blindness); the pattern
repeats the difference without colour. ``light`` and ``dark`` are the fills on either background.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Pattern = Literal["solid", "stripes", "dots", "hollow", "cross", "dense"]


@dataclass(frozen=True, slots=True)
class Style:
    """How a role is drawn."""

    light: str
    dark: str
    pattern: Pattern = "solid"
    dash: str = ""
    width_px: float = 1.5


ROLES: Final[dict[str, Style]] = {
    "prefill": Style("#0072b2", "#3d9bd6"),
    "prefill_alt": Style("#5aa9dc", "#1f6fa8"),
    "decode": Style("#e69f00", "#f0b440", "stripes"),
    "cached": Style("#009e73", "#2fbf95", "dots"),
    "idle": Style("#c4c9d0", "#4a5058", "hollow"),
    "shared": Style("#8a63b8", "#a988d6", "cross"),
    "handoff": Style("#b8407f", "#de7fb2", "dense"),
    "recompute": Style("#7a7f87", "#9aa0a8", "dense"),
    "stall": Style("#a34700", "#ff9d57", "dense"),
    "error": Style("#c1121f", "#ff6b6b", "cross", width_px=2.5),
    "ghost": Style("#5c6670", "#a7b0ba", "hollow", dash="4 3"),
    "budget": Style("#1f2328", "#e6e9ec", width_px=2),
    "threshold": Style("#1f2328", "#e6e9ec", dash="7 4", width_px=1.8),
    "slo": Style("#2e7d32", "#7bc67f", dash="2 3", width_px=1.8),
    "keep": Style("#cfead6", "#1f4a2c", "solid"),
    "reject": Style("#eceff2", "#2a2e33", "solid"),
    "system_shared": Style("#5c6670", "#a7b0ba", dash="2 3", width_px=2),
    "system_chunked": Style("#00857a", "#35c4b5", dash="8 3", width_px=2),
    "system_pd": Style("#b8407f", "#de7fb2", width_px=2.4),
    "prediction": Style("#c2185b", "#ff80ab", "hollow", dash="3 2", width_px=2.2),
    "yield": Style("#1f2328", "#e6e9ec", dash="2 2", width_px=1.6),
    "current": Style("#1f2328", "#ffffff", "hollow", width_px=2.2),
    "ink": Style("#1f2328", "#e6e9ec"),
    "faint": Style("#6a737d", "#9aa4ae"),
    "grid": Style("#e3e6ea", "#33383e", width_px=1),
}
"""Role name to style; a picture never names a colour itself."""


def colour(role: str, *, dark: bool = False) -> str:
    """The fill of a role on a light or a dark background.

    Raises:
        KeyError: no such role.
    """
    style = ROLES[role]
    return style.dark if dark else style.light


def stylesheet() -> str:
    """CSS variables for every role, light by default and dark where the host page says dark.

    JupyterLab and Notebook mark the body, VS Code too, Colab the root element; a page of our own
    follows the reader's system.
    """
    light = "".join(f"--pd-{role}:{style.light};" for role, style in ROLES.items())
    dark = "".join(f"--pd-{role}:{style.dark};" for role, style in ROLES.items())
    hosts = (
        'body[data-jp-theme-light="false"] .pd',
        "body.vscode-dark .pd",
        "body.vscode-high-contrast .pd",
        'html[theme="dark"] .pd',
        ".pd.pd-dark",
    )
    return (
        f".pd{{{light}--pd-paper:#fff}}"
        f"{','.join(hosts)}{{{dark}--pd-paper:#111}}"
        f"@media (prefers-color-scheme:dark){{.pd.pd-auto{{{dark}--pd-paper:#15181c}}}}" + _RULES
    )


_RULES: Final = (
    ".pd{color:var(--pd-ink);font-family:system-ui,'Noto Sans CJK SC','Noto Sans SC',"
    "'PingFang SC','Microsoft YaHei',sans-serif}"
    "svg.pd{display:block;width:100%;height:auto;max-width:1040px;overflow:visible}"
    "svg.pd text{fill:var(--pd-ink);font-size:13px}"
    "svg.pd .halo{paint-order:stroke;stroke:var(--pd-paper);stroke-width:3px;"
    "stroke-linejoin:round}"
    "svg.pd .s{stroke:var(--pd-paper);stroke-opacity:1;stroke-width:1px}"
    "svg.pd .col rect{fill:var(--pd-ink);fill-opacity:0}"
    "svg.pd .col text{visibility:hidden}"
    "svg.pd .col:hover rect,svg.pd .col:focus rect{fill-opacity:.09}"
    "svg.pd .col:hover text,svg.pd .col:focus text{visibility:visible}"
    "svg.pd .col:focus{outline:none}"
    "svg.pd .col:focus rect{stroke:var(--pd-ink);stroke-width:1.5px}"
)
