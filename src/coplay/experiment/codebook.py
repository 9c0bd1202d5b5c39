"""What the columns of a study's files are, and what they mean."""

from __future__ import annotations

from coplay.experiment.plan import Page, Plan
from coplay.experiment.questions import Question

PARTICIPANTS = {
    "participant": "random number of the participant, 16 hexadecimal digits",
    "number": "in the order of joining, from 0",
    "condition": "group of the between-subject design; empty where there is none",
    "cell": "which row of the balanced orders; see docs/experiments.md",
    "consent_version": "the version of the consent text that they agreed to",
    "status": "done, active, failed (checks), late (time was over)",
    "stage": "where they are, or were when it ended",
    "joined": "when they agreed, UTC",
    "ended": "when it was over, UTC",
    "seconds": "from joining to the end",
    "failed_checks": "wrong answers to attention checks",
    "partners": "whom they met in games that count, in order, with | between",
    "games": "games that count and were finished",
    "mean_score": "of these",
}
ANSWERS = {
    "participant": "as in participants.csv",
    "step": "of the participant's way, from 0",
    "page": "name of the page",
    "block": "name of the game that the page follows; empty before and after the games",
    "game": "number of the game that it follows, from 0, as in games.csv",
    "partner": "the partner of that game",
    "position": "which partner of the block that is, from 0",
    "try": "1, or more on pages that may be answered again",
    "question": "name of the question",
    "value": "the answer; empty where it was left out. A text that begins as a formula has an apostrophe in front",
    "right": "1 or 0 where there is a right answer",
    "at": "when it was sent, UTC",
    "seconds": "from the first sight of the page to this answer",
}
GAMES = {
    "participant": "as in participants.csv",
    "step": "of the participant's way, from 0",
    "block": "name of the [[game]] in the plan",
    "game": "of those that count, in order, from 0; -1: practice",
    "practice": "1 or 0",
    "partner": "who took the other seats",
    "position": "which partner of the block, in the order met, from 0",
    "seat": "where the person sat",
    "status": "done, forfeit; cut (its time was over), stuck (a partner failed), todo or active (not over)",
    "score": "of the person's side, by replaying the moves; empty where the game was not finished",
    "turns": "moves made",
    "begun": "when the participant sat down, UTC",
    "first_move": "when the first move was made, the person's or a partner's, UTC",
    "last_move": "when the last was",
    "left": "when the participant went on, UTC",
    "seconds": "from sitting down to the last move",
    "file": "where the game is; empty where it was not finished",
    "row": "which game of that file, from 0",
    "table": "the server's number of the game",
}
MOVES = {
    "participant": "as in participants.csv",
    "table": "as in games.csv",
    "turn": "from 0",
    "actions": "the action of whoever was on turn, by number; of all seats, with commas, where all act at once",
    "at": "when it was written, UTC",
}
OUTSIDE = {"participant": "as in participants.csv", "outside_id": "what the recruitment platform calls them"}
ONCE = ("before", "end")  # pages that are answered once: a column for each question


def once(plan: Plan) -> list[tuple[Page, Question]]:
    """The questions that everybody answers once."""
    return [(page, one) for page in plan.pages if page.when in ONCE for one in page.questions]


def column(page: Page, question: Question) -> str:
    return f"{page.name}.{question.name}"


def wide(plan: Plan) -> tuple[str, ...]:
    """The columns of participants.csv."""
    return (*PARTICIPANTS, *(column(page, one) for page, one in once(plan)))


def codebook(plan: Plan) -> list[dict[str, str]]:
    """A line per column, and one per question."""
    files = {"participants.csv": PARTICIPANTS, "answers.csv": ANSWERS, "games.csv": GAMES, "moves.csv": MOVES}
    files["outside-ids.csv"] = OUTSIDE
    lines = [
        {"file": file, "column": name, "meaning": meaning}
        for file, columns in files.items()
        for name, meaning in columns.items()
    ]
    for page in plan.pages:
        for one in page.questions:
            meaning = f"{one.ask} [{answers_of(one)}; {page.when}]"
            file = "participants.csv" if page.when in ONCE else "answers.csv"
            lines.append({"file": file, "column": column(page, one), "meaning": meaning})
    return lines


def answers_of(question: Question) -> str:
    """Which answers there are, in words."""
    told = {
        "likert": f"1 ({question.low or 'least'}) to {question.points} ({question.high or 'most'})",
        "choice": "one of: " + " | ".join(question.options),
        "number": question.bounds,
        "text": f"text, up to {question.longest} letters",
    }[question.kind]
    more = [] if question.required else ["may be left out"]
    return ", ".join([told, *more, *([f"right: {question.right}"] if question.right else [])])
