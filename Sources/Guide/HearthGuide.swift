// The guides for people are the pages in HearthGuide.docc; `make docs` renders them. They link to symbols of the contract of
// plugins.
import HearthPlugin
