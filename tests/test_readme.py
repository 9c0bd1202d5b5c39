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
    """Links are absolute, so that they work on the package index too."""
    text = (ROOT / "README.md").read_text()
    assert not re.findall(r"\]\((?!http)([^)#]+)", text) + re.findall(r'src="(?!http)([^"]+)"', text)
    here = r"https://(?:raw\.githubusercontent\.com/coplay/coplay|github\.com/coplay/coplay/blob)/main/([^\s)\"#]+)"
    links = re.findall(here, text)
    assert len(links) > 10
    missing = [link for link in links if not (ROOT / link).exists()]
    assert not missing


def test_every_link_by_reference_has_its_address():
    text = (ROOT / "README.md").read_text()
    defined = set(re.findall(r"^\[([^\]]+)\]: https", text, re.M))
    prose = re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.S)
    used = {words if target is None else target for words, target in _references(prose)}
    assert used == defined


def _references(text: str) -> list[tuple[str, str | None]]:
    """(words, target) of `[words][target]`, and (words, None) of `[words]` alone."""
    found = re.findall(r"\[([^\]\[]+)\](?:\[([^\]]+)\])?(?![(:\]])", text)
    return [(words.lower(), target.lower() or None) for words, target in found]
