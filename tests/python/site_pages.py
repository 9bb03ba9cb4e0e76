"""site_pages.py SITE REPOSITORY: checks the site that mkdocs made (tests/site_test.sh)."""

import html.parser
import json
import pathlib
import sys
import urllib.parse

site, repository = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
faults = []


class Page(html.parser.HTMLParser):
    """The links of a page, the files that it loads, and its anchors."""

    def __init__(self, path):
        super().__init__()
        self.links, self.loads, self.names = [], [], {""}
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.names.add(found.get("id"))
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        elif tag == "link" and found.get("rel") != "canonical":
            self.loads.append(found["href"])
        elif tag in ("img", "script", "iframe") and "src" in found:
            self.loads.append(found["src"])


pages = {path: Page(path) for path in site.rglob("*.html") if path.name != "404.html"}
for path, page in pages.items():
    name = path.relative_to(site)
    for address in page.loads + page.links:
        url = urllib.parse.urlsplit(address)
        if url.scheme or url.netloc:
            if address in page.loads and url.scheme != "data":
                faults.append(f"{name} loads {address}")
            continue
        target = (path.parent / urllib.parse.unquote(url.path)).resolve() if url.path else path
        target = target / "index.html" if target.is_dir() else target
        if not target.exists():
            faults.append(f"{name} links to {address}, which is not on the site")
        elif target in pages and urllib.parse.unquote(url.fragment) not in pages[target].names:
            faults.append(f"{name} links to {address}, and there is no such heading")

for page in (repository / "docs").rglob("*.md"):
    made = page.relative_to(repository / "docs").with_suffix(".html")
    made = made.with_name("index.html") if made.name == "README.html" else made
    if site / made not in pages:
        faults.append(f"docs/{page.relative_to(repository / 'docs')} is not on the site")
for made in ("c_api.html", "gallery.html", "repository/CHANGELOG.html", "repository/examples/map.sql.html"):
    if site / made not in pages:
        faults.append(f"the site has no {made}")

index = {entry["location"]: entry for entry in json.loads((site / "search/search_index.json").read_text())["docs"]}
for location, words in {"gpu_sssp.html": "gpu_sssp", "c_api.html": "C API", "gallery.html": "Gallery"}.items():
    if words not in index.get(location, {"title": ""})["title"]:
        faults.append(f"the search does not know {location}")

print("\n".join(faults) or f"{len(pages)} pages, {len(index)} entries of the search")
sys.exit(bool(faults))
