"""Pictures that a measure's rows make without a run folder."""

from __future__ import annotations

import math
from xml.etree import ElementTree

import pytest

from coplay.measure import MeasureError, MeasureWarning, diversity, proximity
from coplay.measure.predict import Prediction
from coplay.measure.prediction import action_prediction
from coplay.report.charts import standalone
from coplay.report.pages.prediction import prediction_figure
from coplay.report.sections.diversity import comparison_figure, diversity_figure
from coplay.report.sections.proximity import proximity_figure


def words(chart: str) -> list[str]:
    return [node.text or "" for node in ElementTree.fromstring(standalone(chart)).iter() if node.tag.endswith("text")]


def test_partners_are_drawn_from_the_nearest_to_the_farthest():
    rows = proximity.per_partner([[3, 5], [9, 9]], [8, 9], ["far", "near"])
    shown = [word for word in words(proximity_figure(rows)) if word in ("far", "near", "0.50", "1.00")]
    assert shown == ["near", "1.00", "far", "0.50"]


def test_a_single_mean_and_a_beaten_ceiling_are_drawn():
    with pytest.warns(MeasureWarning, match="beaten"):
        rows = proximity.profile([30, 5], [20, 10], clip=False).rows
    assert {"1.50", "0.50"} <= set(words(proximity_figure(rows)))


def test_an_infinite_cross_entropy_is_drawn_at_the_edge_without_a_band():
    sure = action_prediction([-math.inf, 0.0], [2, 2], players=2, hits=[False, True])
    unsure = action_prediction([-0.5, -0.1], [2, 2], players=2, hits=[False, True])
    chart = prediction_figure([Prediction(sure, 0.0, "sure"), Prediction(unsure, 0.0, "unsure")])
    assert {"inf", "0.30"} <= set(words(chart))
    assert "nan" not in chart


def test_subsets_without_a_volume_are_left_out():
    rows = diversity.curve([[3, 0], [0, 2], [3, 2]])
    assert [row.diversity > 0 for row in rows] == [True, True, False]
    sizes = ElementTree.fromstring(diversity_figure(rows)).findall("circle")
    assert len(sizes) == 2


def test_both_ways_of_choosing_partners_are_drawn():
    partners, responses = [[1, 0], [0, 1], [1, 1]], [[1, 0], [1, 0.1], [0, 2]]
    assert {"chosen by BR-Div", "chosen by P-Div"} <= set(
        words(comparison_figure(diversity.compare(partners, responses, [1, 2])))
    )


def test_nothing_to_draw_is_told():
    with pytest.raises(MeasureError, match="nothing to draw"):
        diversity_figure(diversity.curve([[0, 0]]))
    with pytest.raises(MeasureError, match="nothing to draw"):
        comparison_figure(diversity.compare([[0, 0]], [[0, 0]]))
