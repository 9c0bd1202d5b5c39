"""`coplay report` and `coplay runs`: what run folders say; each loads what it needs when it runs."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from coplay.cli.options import start

FORMS = ("latex", "markdown", "json")


def report(
    folders: Annotated[list[str], typer.Argument(help="Run folders; of several evaluations, the reference first.")],
    out: Annotated[
        str | None, typer.Option("--out", help="Write it here: the comparison as a page, or the table.")
    ] = None,
    latex: Annotated[bool, typer.Option("--latex", help="Print a table for a paper (booktabs).")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print a table in Markdown.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """Compare evaluations on the deals and partners they share; with one folder, make its page again, or a table of it.

    \b
    Examples:
      coplay report runs/a runs/b
      coplay report runs/a runs/b runs/c --out comparison.html
      coplay report runs/a
      coplay report runs/a --latex
      coplay report runs/tournament --markdown --out table.md
    """
    start()
    from coplay.measure import MeasureError

    chosen = [form for form, wanted in zip(FORMS, (latex, markdown, as_json), strict=True) if wanted]
    if len(chosen) > 1:
        raise MeasureError(f"--{' and --'.join(chosen)}: choose one of them.")
    if chosen:
        _table(folders, chosen[0], out)
    else:
        _pages(folders, out)


def _table(folders: list[str], form: str, out: str | None) -> None:
    """The result of one folder, or the comparison of several, as text."""
    from pathlib import Path

    from coplay.files import write_whole
    from coplay.measure.reading import read_result

    found: Any = read_result(folders[0]) if len(folders) == 1 else _compared(folders)
    text = {"latex": found.to_latex, "markdown": found.to_markdown, "json": found.to_json}[form]()
    if out:
        write_whole(Path(out), text)
    print(out or text.rstrip("\n"))


def _pages(folders: list[str], out: str | None) -> None:
    from pathlib import Path

    from coplay.files import write_whole
    from coplay.measure.evaluated.several import FORMAT
    from coplay.measure.reading import about
    from coplay.report.pages.comparison import comparison_page
    from coplay.report.pages.evaluation import write_report
    from coplay.report.pages.evaluations import write_several
    from coplay.report.terminal import print_comparison, print_evaluation, print_several

    if len(folders) == 1 and about(folders[0]).get("format") == FORMAT:
        several = write_several(folders[0])
        print_several(several)
        print(f"\n{several.folder / 'report.html'}")
    elif len(folders) == 1:
        found = write_report(folders[0])
        print_evaluation(found)
        print(f"\n{found.folder / 'report.html'}")
    else:
        result = _compared(folders)
        print_comparison(result)
        if out:
            write_whole(Path(out), comparison_page(result))
            print(f"\n{out}")


def _compared(folders: list[str]) -> Any:
    from coplay.measure.evaluated.compare import compare
    from coplay.measure.evaluated.folder import EvaluationFolder

    return compare([EvaluationFolder(folder) for folder in folders])


def runs(
    folder: Annotated[str, typer.Argument(help="Where to look.")] = "runs",
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """List the runs in a folder: what each is, how far it got, and its headline.

    \b
    Examples:
      coplay runs
      coplay runs elsewhere --json
    """
    import json
    from pathlib import Path

    from coplay.measure import MeasureError
    from coplay.report.runs import list_runs
    from coplay.report.terminal import print_runs

    if not Path(folder).is_dir():
        raise MeasureError(f"there is no folder {folder}; name the one that your runs are in: coplay runs PLACE.")
    found = list_runs(folder)
    if as_json:
        print(json.dumps(found, indent=1))
    else:
        print_runs(found, folder)
