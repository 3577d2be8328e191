"""Text safe for a terminal: paths and words of a command line hold any characters. Any Python can read this file."""


def printable(text):
    """The text with U+FFFD for what a terminal obeys or shows in another order; line ends stay."""
    return u''.join(c if c == '\n' or c.isprintable() else u'\ufffd' for c in str(text))
