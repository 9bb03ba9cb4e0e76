"""python_page.py PAGE.md: runs a page's ```python blocks, in order, in one program. Where the next thing on the page is
a bare ``` block, that must be what the block prints. A block that imports a module which is not installed is left out,
and so are the blocks after it under the same heading."""

import contextlib
import io
import re
import sys

BLOCK = re.compile(r"^(#+ [^\n]*)$|^```python\n(.*?)^```\n(?:\n*^```\n(.*?)^```\n)?", re.M | re.S)


def main(page):
    names, left_out, status = {}, False, 0
    for heading, code, expected in BLOCK.findall(open(page, encoding="utf-8").read()):
        if heading:
            left_out = False
        if heading or left_out:
            continue
        printed = io.StringIO()
        try:
            with contextlib.redirect_stdout(printed):
                exec(compile(code, page, "exec"), names)
        except ModuleNotFoundError as error:
            print(f"left out: there is no module {error.name}")
            left_out = True
            continue
        if expected != printed.getvalue():
            print(f"{page} says\n{expected}and this was printed:\n{printed.getvalue()}")
            status = 1
    return status


sys.exit(main(sys.argv[1]))
