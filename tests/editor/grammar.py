"""The tree-sitter grammar of `.fab` files, compiled and asked: it takes every spec that is shipped, refuses broken
ones, and its query draws every word of the language as what it is.

`tests/editor/grammar.py`: needs a C compiler and the package `tree_sitter`.
"""

import ctypes
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from tree_sitter import Language, Parser, Query, QueryCursor

ROOT = pathlib.Path(__file__).resolve().parents[2]
GRAMMAR = ROOT / "editors/tree-sitter-fab"
CAPTURES = {"keyword": "keyword", "setting": "property", "value": "constant.builtin", "unit": "type.builtin"}

# Broken for a reason that is not one of the syntax of a single text, or that an editor should let through.
TAKEN = {
    "empty.fab": "nothing stands in it",
    "missing_file.fab": "the file that it uses is not there",
    "links_of_no_file.fab": "a file of links is not there",
    "links_of_words.fab": "a file of links has words",
    "links_to_itself.fab": "a file of links joins a GPU to itself",
    "links_twice.fab": "a file of links joins two GPUs twice",
    "use_cycle.fab": "files use each other",
    "no_fabric.fab": "items alone are a file to be used",
    "two_fabrics.fab": "each is one",
    "too_deep.fab": "brackets nest too deeply",
}


def language():
    with tempfile.TemporaryDirectory() as folder:
        library = pathlib.Path(folder) / "fab.so"
        source = GRAMMAR / "src/parser.c"
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-I", GRAMMAR / "src", source, "-o", library], check=True)
        loaded = ctypes.cdll.LoadLibrary(str(library))
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    loaded.tree_sitter_fab.restype = ctypes.c_void_p
    return Language(new(loaded.tree_sitter_fab(), b"tree_sitter.Language", None))


def first_error(node):
    """The first node that is an error, or missing."""
    if node.is_error or node.is_missing:
        return node
    return next((found for child in node.children if child.has_error and (found := first_error(child))), None)


class Drawn:
    """What the query makes of a text."""

    def __init__(self, parser, query, text):
        self.tree = parser.parse(text.encode())
        self.by_place = {}
        for capture, nodes in QueryCursor(query).captures(self.tree.root_node).items():
            for node in nodes:
                self.by_place.setdefault((node.start_byte, node.end_byte), set()).add(capture)

    def of(self, start, end):
        return self.by_place.get((start, end), set())


def main():
    fab = language()
    parser = Parser(fab)
    query = Query(fab, (GRAMMAR / "queries/highlights.scm").read_text())
    wrong, taken, refused, checked = [], 0, 0, 0
    kinds = json.loads((ROOT / "editors/words.json").read_text())
    kind_of = {word: kind for kind, words in kinds.items() for word in words}
    met = set()

    def expect(where, word, captures, wanted):
        nonlocal checked
        checked += 1
        if captures != {wanted}:
            wrong.append(f"{where}: `{word}` is drawn as {sorted(captures)}, not {wanted}")

    specs = sorted([*(ROOT / "specs").rglob("*.fab"), *(ROOT / "tests/ok").rglob("*.fab")])
    for path in specs:
        text = path.read_text()
        drawn = Drawn(parser, query, text)
        name = path.relative_to(ROOT)
        if error := first_error(drawn.tree.root_node):
            wrong.append(f"{name}:{error.start_point[0] + 1}: {error}: {text.encode()[error.start_byte:][:60]}")
            continue
        taken += 1
        # Words outside of comments and texts, and faces.
        open_nodes = [drawn.tree.root_node]
        while open_nodes:
            node = open_nodes.pop()
            open_nodes.extend(node.children)
            if node.children or node.type in ("comment", "string", "quoted", "face", "bracketed"):
                continue
            word = node.text.decode()
            # A name of one's own may be spelled as a word of another place: `simulate flits { .. }`.
            if word in kind_of and node.parent.child_by_field_name("name") != node:
                met.add(word)
                captures = drawn.of(node.start_byte, node.end_byte)
                if not captures & set(CAPTURES.values()):
                    wrong.append(f"{name}:{node.start_point[0] + 1}: `{word}` is not drawn")
                checked += 1

    # Every word where it belongs, in a text of its own.
    frames = {
        "setting": ["fabric f { chip { @ = 1; } }", "fabric f { floor { @ <= 1; } }"],
        "value": ["fabric f { topology = @; }", "fabric f { topology = @ { a = 1; } }", "fabric f { require @ <= 1; }",
                  "fabric f { require fault.@ <= 1; }", "param a = b in [@, c];"],
        "unit": ["fabric f { chip { buffer = 1 @; } }", "fabric f { require a <= 1.5 @; }", "let a = 2 * (b + 1) @;"],
    }
    for kind, texts in frames.items():
        for word in kinds[kind]:
            for frame in texts:
                start = frame.index("@")
                text = frame.replace("@", word)
                drawn = Drawn(parser, query, text)
                if error := first_error(drawn.tree.root_node):
                    wrong.append(f"{text}: {error}")
                expect(text, word, drawn.of(start, start + len(word)), CAPTURES[kind])
    for word in kinds["keyword"]:
        if word not in met and word != "use":
            wrong.append(f"no spec has the keyword `{word}`")

    for path in sorted((ROOT / "tests/err/syntax").glob("*.fab")):
        error = first_error(parser.parse(path.read_bytes()).root_node)
        if (error is None) != (path.name in TAKEN):
            wrong.append(f"{path.name}: {'taken' if error is None else 'refused'}")
        refused += error is not None

    # What is cut off within the fabric is never taken for whole.
    text = (ROOT / "specs/small_cubes.fab").read_text()
    for cut in range(text.index("{") + 1, text.rindex("}")):
        checked += 1
        if not parser.parse(text[:cut].encode()).root_node.has_error:
            wrong.append(f"small_cubes.fab is taken without its end from {cut} on")

    if wrong:
        print("\n".join(wrong[:60]), file=sys.stderr)
        sys.exit(f"{len(wrong)} things are not so")
    print(f"tree-sitter: {taken} specs taken, {refused} broken ones refused, {len(kind_of)} words, {checked} drawn as they are")


main()
