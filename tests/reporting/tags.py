"""A hostile text, and a reader of the tags and addresses of a page."""

from html.parser import HTMLParser

EVIL = "<script>alert('x')</script>\"'&</style>"


class Tags(HTMLParser):
    """Counts tags, and collects every address in an attribute."""

    def __init__(self):
        super().__init__()
        self.count, self.addresses = {}, []

    def handle_starttag(self, tag, attrs):
        self.count[tag] = self.count.get(tag, 0) + 1
        self.addresses += [
            value for name, value in attrs if name in ("src", "href", "action", "data", "srcset", "poster")
        ]
