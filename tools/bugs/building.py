"""How sources with planted bugs are built: each by itself, and quickly."""
import os

# The assertions notice what is undefined, such as the value of an optional that has none.
OPTIONS = ("-G", "Ninja", "-DCMAKE_BUILD_TYPE=None", "-DSTENO_UNITY=OFF",
           "-DCMAKE_CXX_FLAGS=-O0 -g0 -w -D_GLIBCXX_ASSERTIONS")


class CouldNot(Exception):
    """The bugs cannot be tried; the text says why."""


def cached(root):
    """The environment in which a source of `root` is not compiled again if any copy of it was."""
    return {"CCACHE_NOHASHDIR": "1", "CCACHE_BASEDIR": str(root),
            "CCACHE_SLOPPINESS": "pch_defines,time_macros", **os.environ}
