"""Names that people take for each other: a board has only one of them.

Two names are alike if nothing is left between them but case, marks on letters, invisible characters, spaces and hyphens
(other than between digits), and letters and digits that have nearly the same shape, of one alphabet or of two.
"""

from __future__ import annotations

import re
import unicodedata

# Shape -> the letter it is read as: Cyrillic, Greek, Armenian and rare Latin letters, before case is folded, because
# the large and the small one may look like different letters.
_READ_AS = str.maketrans(
    dict(zip("АВЕЅІЈКМНОРСТУХЅԚԜЗЬӀҮ", "ABESIJKMHOPCTYXSQW3bIY", strict=True))
    | dict(zip("авеѕіјкмнорстухԁһԛԝѵӏүзьг", "abesijkmhopctyxdhqwvly3br", strict=True))
    | dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹ", "ABEZHIKMNOPTYXC", strict=True))
    | dict(zip("αβγεηικνορτυχωϲϳμ", "abyenikvoptuxwcju", strict=True))
    | dict(zip("օսոհցգզՕՍՏ", "ounhgqqOUS", strict=True))
    | dict(zip("ıɑɡɩʟʀɴʏıƖǀ", "iagilrnyill", strict=True))
)
_ALIKE = str.maketrans("01i|!", "ollll")  # after case is folded; a capital I is an l to the eye
_INVISIBLE = "\u034f\u115f\u1160\u2800\u3164\uffa0"  # letters to Unicode, nothing to the eye
_APART = r"[\s_\-\u2010-\u2015\u2212]+"


def alike(name: str) -> str:
    """What is left of a name when everything is folded that people may not notice; empty where nothing can be seen."""
    text = "".join(letter for letter in name if letter not in _INVISIBLE and unicodedata.category(letter) != "Cf")
    text = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).translate(_READ_AS).casefold())
    text = re.sub("[\u0300-\u036f]", "", text)
    text = re.sub(rf"(?<=\d){_APART}(?=\d)", "-", text)  # 1-1 is not 11
    text = re.sub(rf"(?<!\d){_APART}|{_APART}(?!\d)", "", text).translate(_ALIKE)
    return text.replace("rn", "m").replace("vv", "w")


_ADDRESS = re.compile(r"[^\s@<>(),;:\"\\\[\]]+@([^\s@<>(),;:\"\\\[\]]+\.[^\s@<>(),;:\"\\\[\]]+|localhost)")


def is_address(text: str) -> bool:
    """Can a letter be sent there? One address of e-mail, without a name or anything else."""
    return len(text) <= 200 and text.isascii() and _ADDRESS.fullmatch(text) is not None
