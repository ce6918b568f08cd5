"""``make bundle``: worked solutions go along only when they are asked for."""

import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tools"))

import bundle  # noqa: E402


@pytest.mark.parametrize(("arguments", "has_solutions"), [([], False), (["--selfstudy"], True)])
def test_worked_solutions_need_asking(tmp_path, monkeypatch, arguments, has_solutions):
    for folder in ("release", "selfstudy"):
        (tmp_path / folder).symlink_to(ROOT / folder, target_is_directory=True)
    (tmp_path / "build").mkdir()
    wheel = tmp_path / "pdsched-0.whl"
    wheel.write_bytes(b"")
    monkeypatch.setattr(bundle, "ROOT", tmp_path)
    monkeypatch.setattr(bundle, "build_wheel", lambda *_: wheel)
    assert bundle.bundle(Path(sys.executable), arguments) == 0
    with zipfile.ZipFile(next((tmp_path / "build").glob("*.zip"))) as archive:
        names = archive.namelist()
    assert any("selfstudy" in name for name in names) is has_solutions
    assert "prefill-decode-scheduling/step1_request_pressure.ipynb" in names
