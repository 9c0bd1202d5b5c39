"""What the README shows really runs."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_python_example_runs(capsys):
    text = (ROOT / "README.md").read_text()
    examples = re.findall(r"```python\n(.*?)```", text, re.S)
    assert all(len(example.strip().splitlines()) <= 12 for example in examples)
    alone = [example for example in examples if "coplay_client" not in example]  # others need a server
    assert alone, "the README has no Python example"
    for example in alone:
        exec(compile(example, "README.md", "exec"), {})
    assert capsys.readouterr().out.strip()


def test_every_file_it_links_to_exists():
    text = (ROOT / "README.md").read_text()
    links = re.findall(r"\]\((?!http)([^)#]+)", text) + re.findall(r'src="(?!http)([^"]+)"', text)
    missing = [link for link in links if not (ROOT / link).exists()]
    assert not missing
