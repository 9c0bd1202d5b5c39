"""Whatever a browser sends, a participant takes every step once and in order; whoever leaves is forgotten."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import func, select, update

from coplay.challenge.errors import ChallengeError
from coplay.serve.ledger.hosting.erase import erase_before
from coplay.serve.ledger.keys import find as find_key
from coplay.serve.ledger.studies import going_on, hosting, joining
from coplay.serve.ledger.studies.joining import Asking
from coplay.serve.ledger.studies.leaving import withdraw, withdraw_named
from coplay.serve.pages.export import agreed_games
from coplay.serve.store.backup import read_backup, write_backup
from coplay.serve.store.database import Database, open_database
from coplay.serve.store.models import Action, Attempt, Audit, Key, Table
from coplay.serve.store.study_models import Answer, Experiment, Participant, Passage
from tests.databases import ready_sqlite
from tests.experiment.plans import plan_text

NOW = 1_700_000_000.0
RIGHT = {"mistakes": "3"}, {"trust": "5", "attention": "green"}, {"words": "=nothing"}


class Study:
    """An open study in a database, and what its participants do."""

    def __init__(self, url: str, text: str) -> None:
        self.url, self.database = url, open_database(url)
        with self.database.write() as transaction:
            hosting.new_experiment(transaction, "try", text)
            hosting.open_experiment(transaction, "try")

    def join(self, **asking: str) -> str:
        with self.database.write() as transaction:
            experiment = hosting.experiment_of(transaction, "try")
            return joining.join(transaction, experiment, Asking(**asking), "2", NOW).id

    def at(self, who: str, now: float = NOW) -> tuple[str, int]:
        with self.database.write() as transaction:
            at = going_on.look(transaction, who, now)
            return at.participant.status, at.participant.step

    def say(self, who: str, step: int, answers: dict[str, str], sheet: int = 1, now: float = NOW) -> object:
        with self.database.write() as transaction:
            return going_on.submit(transaction, who, step, sheet, answers, now)

    def play(self, who: str, step: int, now: float = NOW) -> None:
        """Sits down; then the engine writes that the game is over."""
        with self.database.write() as transaction:
            seat = going_on.sit_down(transaction, who, step, now)
            assert seat is not None
            transaction.execute(update(Table).where(Table.attempt_id == seat.attempt).values(status="done"))

    def through(self, who: str) -> None:
        """All steps, as the plan has them."""
        self.say(who, 0, RIGHT[0])
        for step in (1, 2, 4):
            self.play(who, step)
            self.at(who)
            if step > 1:
                self.say(who, step + 1, RIGHT[1])
        self.say(who, 6, RIGHT[2])

    def count(self, kind: type) -> int:
        with self.database.read() as transaction:
            return transaction.scalar(select(func.count()).select_from(kind)) or 0


@pytest.fixture
def make(url: str) -> Iterator[Callable[..., Study]]:
    made: list[Study] = []

    def one(**given: Any) -> Study:
        made.append(Study(url, plan_text(**given)))
        return made[-1]

    yield one
    for study in made:
        study.database.close()


@pytest.fixture
def study(make: Callable[..., Study]) -> Study:
    return make()


def test_steps_are_taken_in_order_and_only_once(study: Study) -> None:
    who = study.join()
    for step in (1, 2, 6, 99, -1):  # pages to come, games to come, nothing
        assert study.say(who, step, RIGHT[1]) is None
    with study.database.write() as transaction:
        assert going_on.sit_down(transaction, who, 1, NOW) is None
    assert study.at(who) == ("active", 0)
    assert study.count(Answer) == study.count(Attempt) == 0
    assert study.say(who, 0, {"mistakes": "many"}).problems  # pyright: ignore[reportAttributeAccessIssue, reportOptionalMemberAccess]
    assert study.say(who, 0, RIGHT[0]) is None
    assert study.at(who) == ("active", 1)
    study.say(who, 0, {"mistakes": "3"})  # the form sent twice, or from another tab
    assert study.at(who) == ("active", 1)
    study.play(who, 1)
    assert study.at(who) == ("active", 2)
    study.play(who, 2)
    assert study.at(who) == ("active", 3)
    with study.database.write() as transaction:
        assert going_on.sit_down(transaction, who, 2, NOW) is None  # a game is played once
    study.say(who, 3, RIGHT[1])
    study.play(who, 4)
    study.at(who)
    study.say(who, 5, RIGHT[1])
    study.say(who, 6, RIGHT[2], now=NOW + 90)
    assert study.at(who) == ("done", 7)
    assert (study.count(Answer), study.count(Attempt)) == (6, 3)
    study.say(who, 6, {"words": "something else"})
    with study.database.read() as transaction:
        assert transaction.get_one(Answer, (who, 6, 1, "words")).value == "=nothing"
        assert transaction.get_one(Participant, who).ended == NOW + 90


def test_of_many_tabs_that_send_at_once_one_goes_on(study: Study) -> None:
    who = study.join()
    barrier = threading.Barrier(6)
    problems: list[Exception] = []

    def tab(number: int) -> None:
        barrier.wait()
        try:
            study.say(who, 0, {"mistakes": "3" if number % 2 else "4"})
        except Exception as problem:
            problems.append(problem)

    tabs = [threading.Thread(target=tab, args=(number,)) for number in range(6)]
    for one in tabs:
        one.start()
    for one in tabs:
        one.join()
    assert problems == []
    with study.database.read() as transaction:
        sheets = [(one.sheet, one.right) for one in transaction.scalars(select(Answer))]
        participant = transaction.get_one(Participant, who)
    assert len(sheets) == 1  # all of them answer sheet 1, and it is taken once
    assert participant.step == int(sheets[0][1] is True)


def test_a_table_is_laid_once_and_coming_again_ends_the_older_key(study: Study) -> None:
    who = study.join()
    study.say(who, 0, RIGHT[0])
    with study.database.write() as transaction:
        first = going_on.sit_down(transaction, who, 1, NOW)
        second = going_on.sit_down(transaction, who, 1, NOW)
        assert first is not None
        assert second is not None
        assert first.attempt == second.attempt
        assert find_key(transaction, second.key).key.attempt_id == first.attempt
        with pytest.raises(ChallengeError, match="was revoked"):
            find_key(transaction, first.key)
    assert study.at(who) == ("active", 1)


def test_a_game_and_a_whole_study_end_when_their_time_is_over(study: Study) -> None:
    who, other = study.join(), study.join()
    study.say(who, 0, RIGHT[0])
    with study.database.write() as transaction:
        going_on.sit_down(transaction, who, 1, NOW)
    assert study.at(who, NOW + 599) == ("active", 1)
    assert going_on.sweep(study.database, NOW + 599) == 0
    assert going_on.sweep(study.database, NOW + 600) == 1  # nobody has to come back for it
    with study.database.read() as transaction:
        assert transaction.scalars(select(Table.status)).one() == "cut"
        assert transaction.get_one(Participant, who).step == 2
    assert study.at(other, NOW + 3599) == ("active", 0)
    study.say(other, 0, RIGHT[0], now=NOW + 3600)
    assert study.at(other, NOW) == ("late", 0)  # and stays so
    assert study.count(Answer) == 1


def test_failed_checks_end_it_politely_and_free_the_place(study: Study) -> None:
    people = [study.join() for _ in range(3)]
    with pytest.raises(ChallengeError, match="all places of this study are taken"):
        study.join()
    study.say(people[0], 0, {"mistakes": "4"})
    study.say(people[0], 0, {"mistakes": "4"})  # the same form once more is not a second try
    assert study.at(people[0]) == ("active", 0)
    study.say(people[0], 0, {"mistakes": "5"}, sheet=2)
    assert study.at(people[0]) == ("failed", 0)
    study.say(people[1], 0, RIGHT[0])
    wrong = RIGHT[1] | {"attention": "red"}
    for step, game in ((3, 2), (5, 4)):
        if step == 3:
            study.play(people[1], 1)
        study.at(people[1])
        study.play(people[1], game)
        study.at(people[1])
        study.say(people[1], step, wrong)
    assert study.at(people[1]) == ("failed", 5)
    study.join()
    study.join()
    with study.database.read() as transaction:
        found = hosting.progress(transaction, "try")
    assert found.counts == Counter(active=3, failed=2)
    assert found.lost == Counter({("page rules", "failed"): 1, ("page partner 2 of 2", "failed"): 1})


def test_an_id_of_the_platform_takes_part_once_and_finds_its_place_with_the_same_link(
    make: Callable[..., Study],
) -> None:
    study = make(more='outside_id = "PROLIFIC_PID"\n')
    who = study.join(outside="5f3a")
    assert study.join(outside="5f3a") == who
    other = study.join(outside="99")
    with study.database.read() as transaction:
        experiment = hosting.experiment_of(transaction, "try")
        token = joining.token_of(experiment, transaction.get_one(Participant, who))
        for asking, found in (
            (Asking(outside="5f3a"), who),
            (Asking(token=token), who),
            (Asking(outside="99", token=token), other),  # a shared machine
            (Asking(token=token[:-1] + ("0" if token[-1] != "0" else "1")), None),
            (Asking(token="x"), None),
        ):
            participant = joining.find(transaction, experiment, asking)
            assert (participant and participant.id) == found
    for wrong in ({}, {"outside": "a b"}, {"outside": "x" * 129}):
        with pytest.raises(ChallengeError, match="link"):
            study.join(**wrong)
    with study.database.write() as transaction:
        withdraw(transaction, transaction.get_one(Participant, who), "participant")
    assert study.join(outside="5f3a") == who  # withdrawn, and stays so
    assert study.at(who)[0] == "withdrawn"


def test_places_and_conditions_hold_when_many_join_at_once(make: Callable[..., Study]) -> None:
    two = '[[condition]]\nname = "a"\n[[condition]]\nname = "b"\n'
    study = make()
    with study.database.write() as transaction:
        text = plan_text().replace("participants = 3", "participants = 4") + two
        hosting.new_experiment(transaction, "many", text)
        hosting.open_experiment(transaction, "many")
    full: list[str] = []

    def come() -> None:
        try:
            with study.database.write() as transaction:
                joining.join(transaction, hosting.experiment_of(transaction, "many"), Asking(), "2", NOW)
        except ChallengeError as problem:
            full.append(problem.code)

    people = [threading.Thread(target=come) for _ in range(8)]
    for one in people:
        one.start()
    for one in people:
        one.join()
    assert full == ["full"] * 4
    with study.database.read() as transaction:
        found = [(one.condition, one.cell) for one in transaction.scalars(select(Participant))]
        numbers = sorted(transaction.scalars(select(Participant.number)))
    assert Counter(found) == {(name, cell): 1 for name in ("a", "b") for cell in (0, 1)}
    assert numbers == [0, 1, 2, 3]


def test_consent_withdrawn_in_the_middle_erases_what_was_said_and_played(study: Study) -> None:
    who, stays = study.join(), study.join()
    for one in (who, stays):
        study.say(one, 0, RIGHT[0])
        study.play(one, 1)
        study.at(one)
    with study.database.write() as transaction:
        tables = select(Table.id).join(Passage, Passage.attempt_id == Table.attempt_id)
        mine = transaction.scalars(tables.where(Passage.participant_id == who)).one()
        transaction.add(Action(table_id=mine, turn=0, actions="1", at=NOW))
    with study.database.write() as transaction:
        assert withdraw(transaction, transaction.get_one(Participant, who), "participant") == 1
    assert study.at(who)[0] == "withdrawn"
    assert study.say(who, 2, RIGHT[0]) is None
    counts = {kind.__name__: study.count(kind) for kind in (Answer, Attempt, Table, Action, Key)}
    assert counts == {"Answer": 1, "Attempt": 1, "Table": 1, "Action": 0, "Key": 1}  # of the other
    with study.database.read() as transaction:
        left = transaction.get_one(Participant, who)
        assert (left.joined, left.until, left.steps, left.stage) == (None, None, "[]", "game small 1 of 2")
        assert hosting.progress(transaction, "try").lost == Counter({("game small 1 of 2", "withdrawn"): 1})
        last = transaction.scalars(select(Audit).order_by(Audit.number.desc())).first()
        assert last is not None
        assert last.what == "participant withdrawn"
        assert who not in last.detail
    with study.database.write() as transaction:
        assert withdraw_named(transaction, "try", stays, "asked by mail") == 1
        with pytest.raises(ChallengeError, match="nobody with this number"):
            withdraw_named(transaction, "try", stays, "asked again")
    assert study.count(Answer) == 0


def test_only_a_closed_study_is_erased_and_then_whole(study: Study) -> None:
    study.through(study.join())
    study.join()
    with study.database.write() as transaction:
        with pytest.raises(ChallengeError, match="is open; close it first"):
            hosting.erase_experiment(transaction, "try")
        hosting.close_experiment(transaction, "try")
        assert hosting.erase_experiment(transaction, "try", reason="its time is over") == 2
    kinds = (Experiment, Participant, Passage, Answer, Attempt, Table, Key)
    assert {kind.__name__: study.count(kind) for kind in kinds} == {kind.__name__: 0 for kind in kinds}


def test_a_draft_can_be_tried_and_written_anew_and_an_open_study_cannot(study: Study) -> None:
    with study.database.write() as transaction:
        draft = hosting.new_experiment(transaction, "draft", plan_text())
        preview = hosting.preview_token(draft)
        for asking in (Asking(), Asking(preview="0" * 32)):
            with pytest.raises(ChallengeError):
                joining.join(transaction, draft, asking, "2", NOW)
        tries = joining.join(transaction, draft, Asking(preview=preview), "2", NOW).id
    study.say(tries, 0, RIGHT[0])
    assert study.at(tries) == ("active", 1)
    with study.database.write() as transaction:
        assert hosting.progress(transaction, "draft").counts == Counter()
        hosting.new_experiment(transaction, "draft", plan_text().replace('version = "2"', 'version = "3"'))
        again = hosting.open_experiment(transaction, "draft")
        with pytest.raises(ChallengeError, match="the text has changed"):
            joining.join(transaction, again, Asking(), "2", NOW)
        with pytest.raises(ChallengeError, match="it was opened; give the new one its own name"):
            hosting.new_experiment(transaction, "draft", plan_text())
        hosting.close_experiment(transaction, "draft")
        with pytest.raises(ChallengeError, match="has ended"):
            joining.join(transaction, again, Asking(), "3", NOW)
    assert study.count(Participant) == study.count(Answer) == 0


def test_games_begin_with_the_partners_the_study_was_made_with_or_not_at_all(study: Study) -> None:
    who = study.join()
    study.say(who, 0, RIGHT[0])
    with study.database.write() as transaction:
        experiment = transaction.get_one(Experiment, "try")
        experiment.pins = experiment.pins.replace('"coplay": "', '"coplay": "0.0.0 and ')
    with study.database.write() as transaction, pytest.raises(ChallengeError, match="pauses for a while"):
        going_on.sit_down(transaction, who, 1, NOW)
    with study.database.write() as transaction:
        assert "coplay was 0.0.0" in hosting.accept(transaction, "try", reason="the same")[0]
    study.play(who, 1)
    assert study.at(who) == ("active", 2)


def test_a_backup_has_studies_too(study: Study, new_url: Callable[[], str], tmp_path: Path) -> None:
    study.through(study.join())
    write_backup(study.database, str(tmp_path / "all.gz"))
    other = open_database(new_url())
    read_backup(other, str(tmp_path / "all.gz"))
    with other.read() as transaction:
        assert transaction.scalars(select(Participant.status)).one() == "done"
        assert len(list(transaction.scalars(select(Answer)))) == 6
    other.close()


DIES = """
import os, signal, sys
from coplay.serve.ledger.studies import going_on
from coplay.serve.store.database import open_database

database = open_database(sys.argv[1])
with database.write() as transaction:
    going_on.submit(transaction, sys.argv[2], 0, 1, {"mistakes": "3"}, 1_700_000_000.0)
with database.write() as transaction:
    going_on.sit_down(transaction, sys.argv[2], 1, 1_700_000_000.0)
    transaction.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_kill_9_in_the_middle_of_a_step_leaves_people_where_they_were(tmp_path: Path) -> None:
    study = Study(ready_sqlite(tmp_path / "coplay.db"), plan_text())
    who = study.join()
    study.database.close()
    died = subprocess.run([sys.executable, "-c", DIES, study.url, who], capture_output=True, check=False)
    assert died.returncode == -9, died.stderr.decode()
    study.database = Database(study.url)
    assert study.at(who) == ("active", 1)  # the answer was written, the table that was being laid was not
    assert (study.count(Answer), study.count(Attempt), study.count(Key)) == (1, 0, 0)
    study.play(who, 1)
    assert study.at(who) == ("active", 2)
    study.database.close()


def test_games_of_studies_are_no_visitors_games(tmp_path: Path) -> None:
    study = Study(ready_sqlite(tmp_path / "coplay.db"), plan_text())
    study.through(study.join())
    assert erase_before(study.database, NOW + 10**9) == 0  # --keep-days is for visitors
    with study.database.read() as transaction:
        assert agreed_games(transaction) == {}  # so is `coplay data export`
    assert study.count(Attempt) == 3
    study.database.close()
