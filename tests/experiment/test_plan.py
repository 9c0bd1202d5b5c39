"""A plan is read whole or not at all; a mistake is told with the value, the rule and the remedy."""

from __future__ import annotations

from pathlib import Path

import pytest

from coplay.challenge.errors import ChallengeError
from coplay.experiment.codebook import codebook, wide
from coplay.experiment.order import cells
from coplay.experiment.passing import filled, judge, read_sheet
from coplay.experiment.plan import Checks
from coplay.experiment.reading import check_agents, read_plan
from tests.experiment.plans import plan_text

TEXT = plan_text()
QUESTION = '[[page]]\nname = "more"\nwhen = "end"\n[[page.question]]\nname = "q"\nask = "?"\n'


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("title =", "titel =", "unknown entry 'titel'; the entries are"),
        ('version = "2"', 'version = "second edition of it"', "up to 16 letters"),
        ("[consent]", "[agreed]", "lacks [consent]; write what people agree to"),
        ('game = "hanabi-very-small"', 'game = "hanaby"', "hanaby"),
        ('partners = ["piers", "random"]', "partners = []", "list different agents"),
        ('["piers", "random"]', '["piers", "piers"]', "list different agents"),
        ('["piers", "random"]', '[["piers", "random"]]', "list different agents"),
        ("games = 1", "games = 0", "games = 0; give a whole number from 1"),
        ("minutes = 10", 'minutes = "ten"', "minutes = 'ten'; give a number of minutes"),
        ("minutes = 10", "seat = 2", 'seat = 2; give "turns" or a seat from 0 to 1'),
        ('when = "before"', 'when = "first"', "when = 'first'; choose before, after_practice"),
        ("right = 3", 'right = "three"', "is not an answer of it. Please give a number"),
        ("right = 3", "least = 1", "tries = 2, but no question has a right answer"),
        ('options = ["red", "green"]', 'options = ["green"]', "list two or more different answers"),
        ('right = "green"', 'right = "blue"', "right = 'blue' is not an answer"),
        ('kind = "likert"', 'kind = "scale"', "kind = 'scale'; choose likert, choice, number, text"),
        ('low = "never"', "points = 1", "a Likert scale has 2 to 11"),
        ('low = "never"', 'options = ["a", "b"]', "options is not for kind = 'likert', which knows high, low, points"),
        ('name = "trust"', 'name = "Trust me"', "use small letters, digits"),
        ('name = "trust"', 'name = "attention"', "two are called 'attention'"),
        ("DONE-{participant}", "DONE-{who}", "only code, id, participant can stand"),
        ("DONE-{participant}", "{id}", "say outside_id, too"),
        ("DONE-{participant}", "{code}", "a code cannot hold itself"),
        ("https://example.org", "javascript:alert(1)//", "give an address with https://"),
        ("participants = 3", "participants = 0", "participants = 0; give a whole number of at least 1"),
        ("participants = 3", 'order = "alphabetic"', "order = 'alphabetic'; choose latin or random"),
        ("participants = 3", 'outside_id = "a b"', "give its name in the link, as PROLIFIC_PID"),
    ],
)
def test_mistakes_name_the_value_the_rule_and_the_remedy(old: str, new: str, told: str) -> None:
    assert old in TEXT
    with pytest.raises(ChallengeError) as caught:
        read_plan(TEXT.replace(old, new, 1))
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ('[[condition]]\nname = "a"\n', "there is one [[condition]]; write two or more, or none"),
        ('[[page]]\nname = "p"\nwhen = "end"\nconditions = ["a"]\n', "list some of these: none; write a [[condition]]"),
        ('[[page]]\nname = "p"\nwhen = "end"\ngames = ["small"]\n', "is for pages after games"),
        (QUESTION + 'kind = "number"\nleast = 5\nmost = 1\n', "least = 5 is more than most = 1"),
        (QUESTION + 'kind = "text"\nlongest = "x"\n', "longest = 'x'"),
        ("[[page]]\n", "name = None; add a line name"),
    ],
)
def test_parts_that_do_not_fit_are_refused(more: str, told: str) -> None:
    with pytest.raises(ChallengeError) as caught:
        read_plan(TEXT + more)
    assert told in str(caught.value)


def test_the_plan_of_the_documentation_is_one() -> None:
    page = (Path(__file__).parents[2] / "docs" / "experiments.md").read_text()
    plan = read_plan(page.split("```toml\n")[1].split("```")[0])
    check_agents(plan)
    assert cells(plan, "") == 4


def test_agents_that_cannot_be_made_are_named() -> None:
    with pytest.raises(ChallengeError, match=r"game small: .*nobody-knows"):
        check_agents(read_plan(plan_text(partners='["nobody-knows"]')))
    check_agents(read_plan(TEXT))


def test_answers_are_read_or_told_what_to_mend() -> None:
    page = read_plan(TEXT).page("partner")
    found = read_sheet(page, {"trust": "8", "attention": "blue"})
    assert found.problems == {
        "trust": "Please choose one of the points from 1 to 7.",
        "attention": "Please choose one of the answers on the list.",
    }
    assert "answer this question" in read_sheet(page, {"trust": "1"}).problems["attention"]
    assert read_sheet(page, {"trust": " 7 ", "attention": "red"}).wrong(page) == ["attention"]
    rules, last = read_plan(TEXT).page("rules"), read_plan(TEXT).page("last")
    assert read_sheet(rules, {"mistakes": "3,0"}).wrong(rules) == []
    for given in ("inf", "nan", "0x3", "1e3", "٣"):
        assert read_sheet(rules, {"mistakes": given}).problems
    assert read_sheet(last, {"words": "a\x00b\r\nc"}).answers == {"words": "ab\nc"}
    assert read_sheet(last, {}).answers == {"words": ""}
    assert "at most 2000 letters" in read_sheet(last, {"words": "x" * 2001}).problems["words"]


def test_checks_end_the_study_by_the_hosts_rule_and_comprehension_by_its_tries() -> None:
    plan = read_plan(TEXT)
    attention, rules = plan.page("partner"), plan.page("rules")
    assert judge(attention, 1, 1, 0, plan.checks) == ("on", 1)
    assert judge(attention, 1, 1, 1, plan.checks) == ("ends", 2)
    assert judge(attention, 0, 1, 5, plan.checks) == ("on", 5)
    assert judge(attention, 1, 1, 9, Checks()) == ("on", 10)
    assert [judge(rules, 1, tries, 0, plan.checks).way for tries in (1, 2)] == ["again", "ends"]
    assert judge(rules, 0, 2, 0, plan.checks) == ("on", 0)


def test_blanks_are_filled_once_and_quoted_in_addresses() -> None:
    assert filled("C-{participant}", "", "x", "12ab") == "C-12ab"
    address = filled("https://e.org/?c={code}&p={id}", "A B", "{participant}&x=1", "12ab", quote=True)
    assert address == "https://e.org/?c=A%20B&p=%7Bparticipant%7D%26x%3D1"


def test_the_codebook_has_every_column_and_every_question() -> None:
    plan = read_plan(TEXT)
    lines = {(one["file"], one["column"]): one["meaning"] for one in codebook(plan)}
    assert {("participants.csv", column) for column in wide(plan)} <= set(lines)
    assert lines["answers.csv", "partner.trust"] == "I trusted this partner. [1 (never) to 7 (always); after_partner]"
    assert "right: 3; before" in lines["participants.csv", "rules.mistakes"]
