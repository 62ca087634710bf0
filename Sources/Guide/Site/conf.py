"""Sphinx's configuration of the site. `build_site.py` stages the pages and gives the version."""

import os

project = "Hearth"
author = "the Hearth project"
project_copyright = "the Hearth project, Apache License 2.0"
version = release = os.environ["HEARTH_VERSION"]

extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
root_doc = "index"

# Anchors of headings are those of a Git host: links with an anchor lead to the same place on both.
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
# An unknown page or anchor is a warning, and with `-W` an error.
nitpicky = True
suppress_warnings = ["misc.highlighting_failure"]

templates_path = ["templates"]
html_static_path = ["static"]
html_extra_path = ["../../../.build/docs-extra"]
html_theme = "pydata_sphinx_theme"
html_title = "Hearth"
html_short_title = "Hearth"
html_favicon = "static/hearth.svg"
html_css_files = ["hearth.css"]
html_js_files = [("copy.js", {"defer": "defer"})]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_permalinks_icon = "#"
html_sidebars = {"**": ["sidebar-pages"], "index": [], "search": []}
html_context = {"default_mode": "auto", "has_reference": os.environ.get("HEARTH_REFERENCE") == "1"}
html_theme_options = {
    "logo": {"text": "Hearth", "image_light": "static/hearth.svg", "image_dark": "static/hearth.svg", "alt_text": "Hearth"},
    "navbar_start": ["navbar-logo", "site-version"],
    "navbar_center": ["site-links"],
    "navbar_end": ["theme-switcher"],
    "navbar_persistent": ["search-button-field"],
    "navbar_align": "left",
    "search_bar_text": "Search the guide",
    "secondary_sidebar_items": {"**": ["page-toc"], "index": []},
    "show_nav_level": 1,
    "show_prev_next": True,
    "footer_start": ["copyright"],
    "footer_end": [],
    "article_header_start": ["breadcrumbs"],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
    "back_to_top_button": False,
}
