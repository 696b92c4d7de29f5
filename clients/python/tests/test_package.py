from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from stage import API_KEY, URL

ROOT = Path(__file__).resolve().parent.parent


def test_shapes_are_up_to_date() -> None:
    subprocess.run([sys.executable, "scripts/write_shapes.py", "--check"], cwd=ROOT, check=True)


def test_example_makes_a_film(tmp_path: Path) -> None:
    file = tmp_path / "film.mp4"
    env = {**os.environ, "ATELIER_URL": URL, "ATELIER_API_KEY": API_KEY, "PYTHONPATH": str(ROOT / "src")}
    made = subprocess.run([sys.executable, ROOT / "examples/film.py", file], env=env, check=True, capture_output=True, text=True)
    for step in ("picture", "clip", "music", "film"):
        assert f"{step}: done" in made.stdout.splitlines()
    assert file.read_bytes()[4:8] == b"ftyp"
