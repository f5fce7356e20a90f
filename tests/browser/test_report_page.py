"""The report page as a reader meets it."""

from itertools import pairwise

import numpy as np
import pytest

import bochner as bo
from bochner.theory import finite_set, pointwise

NAMES = ("regressor", "classifier", "bare")

# WCAG 2: contrast of every text node against what is painted behind it.
CONTRAST = """
() => {
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const rgba = (css) => {
    canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = css; canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
  const luminance = ([r, g, b]) => {
    const linear = (v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    const [x, y, z] = [r, g, b].map((v) => linear(v / 255));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const behind = (element) => {
    const layers = [];
    for (let e = element; e; e = e.parentElement) {
      const before = getComputedStyle(e, '::before');
      if (before.content !== 'none') {
        const tint = rgba(before.backgroundColor);
        layers.push([tint[0], tint[1], tint[2], tint[3] * Number(before.opacity)]);
      }
      layers.push(rgba(getComputedStyle(e).backgroundColor));
    }
    return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255, 1]);
  };
  const bad = [];
  let seen = 0;
  for (const details of document.querySelectorAll('details')) details.open = true;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || element.closest('script, style')) continue;
    if (!element.getClientRects().length) continue;
    const style = getComputedStyle(element);
    const background = behind(element);
    const ink = over(rgba(element.closest('svg') ? style.fill : style.color), background);
    const [light, dark] = [luminance(ink), luminance(background)].sort((a, b) => b - a);
    const ratio = (light + 0.05) / (dark + 0.05);
    seen += 1;
    if (ratio < 4.5) bad.push([ratio.toFixed(2), walker.currentNode.textContent.trim().slice(0, 40)]);
  }
  return {seen, bad};
}
"""

OVERFLOW = """
[...document.querySelectorAll('main *')]
  .filter((e) => !e.closest('.scroll, svg, .hidden') && e.getBoundingClientRect().right > innerWidth + 1)
  .map((e) => e.outerHTML)
"""


@pytest.mark.parametrize("name", NAMES)
def test_a_page_opens_in_silence_and_asks_for_nothing(open_page, pages, name):
    page = open_page(name)
    page.mouse.wheel(0, 4000)
    assert page.said == []
    assert [url for url in page.asked if not url.startswith("data:")] == [pages[name][1]]


def test_the_policy_of_the_page_forbids_requests(open_page):
    page = open_page("bare")
    outcome = page.evaluate("fetch('https://example.org/').then(() => 'sent', () => 'refused')")
    assert outcome == "refused"
    assert any("Content Security Policy" in text for text in page.said)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_overflows_at_any_width(open_page, name):
    page = open_page(name)
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    for width in (360, 800, 1440):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        beyond = page.evaluate(OVERFLOW)
        assert beyond == []


@pytest.mark.parametrize("name", NAMES)
def test_every_text_has_contrast_in_both_themes(open_page, name):
    page = open_page(name)
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        found = page.evaluate(CONTRAST)
        assert found["seen"] > 100
        assert found["bad"] == []


def test_themes_differ_and_the_switch_wins_over_the_system(open_page):
    page = open_page("bare", theme="dark")
    colour = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(colour)
    page.get_by_label("light").check()
    light = page.evaluate(colour)
    page.get_by_label("auto").check()
    assert light != dark
    assert page.evaluate(colour) == dark
    page.get_by_label("light").check()
    page.reload()
    assert page.evaluate(colour) == light  # the choice is remembered


def test_the_features_needed_agree_with_the_theory(open_page):
    page = open_page("regressor")
    kernel = bo.Gaussian()
    rng = np.random.default_rng(0)
    settings = [(0.1, 0.01, 600), (0.1, 0.01, 1000), (0.5, 0.5, 1)]
    settings += [
        (
            float(f"{rng.uniform(0.005, 0.6):.4g}"),
            float(f"{10 ** rng.uniform(-9, -0.2):.3g}"),
            int(10 ** rng.uniform(0, 8)),
        )
        for _ in range(15)
    ]
    for eps, delta, rows in settings:
        for label, value in (("eps", eps), ("delta", delta), ("rows", rows)):
            page.locator(f"#{label}").fill(str(value))
        shown = [int(text.replace(",", "")) for text in page.locator("#calculator output").all_inner_texts()]
        assert shown == [
            pointwise.SubGaussian(kernel=kernel).features_needed(eps, delta),
            finite_set.UnionSubGaussian(kernel=kernel, n_points=rows).features_needed(eps, delta),
            pointwise.Hoeffding(kernel=kernel).features_needed(eps, delta),
            finite_set.UnionHoeffding(kernel=kernel, n_points=rows).features_needed(eps, delta),
        ]


def test_a_wrong_number_is_refused_in_words(open_page):
    page = open_page("regressor")
    page.locator("#delta").fill("1.5")
    assert page.locator("#problem").inner_text() == "delta must be between 0 and 1."
    assert page.locator("#delta").get_attribute("aria-invalid") == "true"
    assert set(page.locator("#calculator output").all_inner_texts()) == {"–"}
    page.locator("#delta").fill("0.05")
    assert page.locator("#problem").is_hidden()


def test_the_measured_width_is_the_first_that_stays_within_eps(open_page, pages):
    page, curve = open_page("regressor"), pages["regressor"][0].summary["approximation"]["curve"]
    page.locator("#eps").fill(str(curve["largest"][-2] * 1.0001))
    within = [
        all(e <= curve["largest"][-2] * 1.0001 for e in curve["largest"][i:]) for i in range(len(curve["widths"]))
    ]
    assert f"{curve['widths'][within.index(True)]:,} features" in page.locator("#measured").inner_text()
    page.locator("#eps").fill("0.0000001")
    assert "no width" in page.locator("#measured").inner_text()


@pytest.mark.parametrize("name", NAMES)
def test_every_chart_tells_its_values_to_pointer_and_keyboard(open_page, name):
    page = open_page(name)
    charts = page.locator(".chart")
    assert charts.count() >= 3
    for i in range(charts.count()):
        chart = charts.nth(i)
        mark = chart.locator("[data-tip]").last
        chart.focus()
        page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")  # scrolled
        box = mark.bounding_box()
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        assert page.locator("#tip").is_visible()
        page.mouse.move(0, 0)
        assert page.locator("#tip").is_hidden()
        page.keyboard.press("ArrowRight")
        assert page.locator("#tip").inner_text() == chart.locator("[data-tip]").first.get_attribute("data-tip")
        page.keyboard.press("Escape")
        assert page.locator("#tip").is_hidden()


@pytest.mark.parametrize("name", NAMES)
def test_the_tab_key_reaches_every_control(open_page, name):
    page = open_page(name)
    everything = page.evaluate(
        "[...document.querySelectorAll('a[href], button, input:not([type=radio]), summary, .chart, input:checked,"
        " .scroll')].filter((e) => e.checkVisibility({checkVisibilityCSS: true})).map((e, i) => (e.dataset.stop = i))"
    )
    reached = set()
    for _ in range(len(everything) + 5):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("Number(document.activeElement.dataset.stop ?? -1)"))
    assert set(everything) <= reached


@pytest.mark.parametrize("name", NAMES)
def test_headings_descend_one_step_at_a_time_and_pictures_have_words(open_page, name):
    page = open_page(name)
    levels = page.evaluate("[...document.querySelectorAll('h1, h2, h3, h4, h5, h6')].map((h) => Number(h.tagName[1]))")
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    labels = page.evaluate("[...document.querySelectorAll('svg[role=img]')].map((e) => e.getAttribute('aria-label'))")
    assert all(len(label) > 30 for label in labels)
    assert page.evaluate("[...document.querySelectorAll('input')].every((e) => e.labels.length > 0)")


def test_names_from_the_user_are_text(open_page):
    page = open_page("classifier")
    assert page.locator("h1").inner_text() == "<script>alert(1)</script>"
    assert page.title() == "<script>alert(1)</script>"
    assert page.locator(".matrix b").count() == 0
    assert "<b>low</b>" in page.locator(".matrix").inner_text()


def test_paper_is_white_and_has_no_controls(open_page):
    page = open_page("regressor", theme="dark")
    page.emulate_media(media="print")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.locator("#theme").is_hidden()
    assert page.locator("nav").is_hidden()
    assert page.evaluate(CONTRAST)["bad"] == []
    assert page.pdf()[:4] == b"%PDF"


def test_the_page_reads_without_its_script(browser, pages):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(pages["regressor"][1])
    assert page.locator(".chart").count() >= 8
    wanted = pages["regressor"][0].summary["approximation"]["bounds"]["bounds"][0]["all_pairs"]
    assert page.locator("#calculator output").nth(1).inner_text() == f"{wanted:,}"
    context.close()


def test_cards_take_their_colours_from_the_notebook(browser, tmp_path):
    plan, model = bo.plan(np.eye(20), eps=0.1), bo.FourierFeatures(n_components=16, random_state=0).fit(np.eye(20))
    page = browser.new_page()
    for ink, paper in (("#222", "#fff"), ("#ddd", "#111")):
        cards = plan._repr_html_() + model.certify(np.eye(20))._repr_html_()
        # Without a doctype tables take the colour of the body, not of what is around them.
        (tmp_path / "notebook.html").write_text(f"<div style='color: {ink}; background: {paper}'>{cards}</div>")
        page.goto((tmp_path / "notebook.html").as_uri())
        found = page.evaluate(CONTRAST)
        assert found["seen"] > 30
        assert found["bad"] == []
    page.close()
