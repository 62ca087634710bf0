// The guides for people are the pages in HearthGuide.docc; `make docs` renders them. A target has at least one source
// file, and this is it.
