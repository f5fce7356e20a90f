"""Sphinx configuration."""

import re
import sys
from pathlib import Path

import bochner
from bochner import _typing

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "bochner"
copyright = "2026, the bochner developers"
version = release = bochner.__version__

extensions = [
    "formulas",
    "myst_parser",
    "numpydoc",
    "papers",
    "conclusions",
    "peers",
    "sphinx-mathjax-offline",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_gallery.gen_gallery",
    "validity",
]
exclude_patterns = ["_build", "examples"]
highlight_language = "none"  # what is not marked is no code
html_theme = "pydata_sphinx_theme"
html_title = "bochner"
html_sidebars = {"index": [], "**": ["sidebar-nav-bs"]}
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_theme_options = {"show_prev_next": False, "secondary_sidebar_items": ["page-toc"]}

autosummary_generate = True
# Types that signatures share are shown by their names, not by the unions that they stand for.
autodoc_type_aliases = {name: name for name in [*_typing.__all__, "DTypeLike", "Paths"]}
toc_object_entries_show_parents = "hide"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "gallery",
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "capture_repr": (),  # what is printed is shown, not the last value of a block
    "download_all_examples": False,
    "min_reported_time": 1e9,  # seconds of this machine are of no use to readers
    "show_signature": False,
    "write_computation_times": False,
}
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3
templates_path = ["_templates"]


def names_of_types(app, what, name, obj, options, signature, returns):
    """Aliases in a union without Sphinx's own class around them."""
    plain = [text and re.sub(r"TypeAliasForwardRef\('(\w+)'\)", r"\1", text) for text in (signature, returns)]
    return tuple(plain)


def setup(app):
    app.connect("autodoc-process-signature", names_of_types)
    # scikit-learn generates set_fit_request and its kin; their docstrings point into its own documentation.
    app.connect("autodoc-skip-member", lambda app, what, name, *rest: name.endswith("_request") or None)
