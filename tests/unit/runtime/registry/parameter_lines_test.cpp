#include "runtime/registry/parameter_lines.h"

#include <catch2/catch.hpp>

using pelorus::parameterLines;

TEST_CASE("a function takes the lines of the parameters that it has", "[registry]") {
    const char* lines = "X: a vector\nwindow: rows\nminPeriods: least rows";
    CHECK(parameterLines("msum(X, window, [minPeriods])", lines) == lines);
    CHECK(parameterLines("cumsum(X)", lines) == "X: a vector");
    CHECK(parameterLines("now()", lines).empty());
    CHECK(parameterLines("now()", "").empty());
}

TEST_CASE("a line of one function goes before that of its family", "[registry]") {
    const char* lines = "window: rows\nmavg.window: rows or weights\nmavg.X: numbers";
    CHECK(parameterLines("mavg(X, window)", lines) == "X: numbers\nwindow: rows or weights");
    CHECK(parameterLines("mmavg(X, window)", lines) == "window: rows");
}

TEST_CASE("a default or a part of a name is no parameter", "[registry]") {
    CHECK(parameterLines("rank(X, [tiesMethod='min'])", "min: least\nties: way\ntiesMethod: how") == "tiesMethod: how");
    CHECK(parameterLines("loop(func, args...)", "args: each") == "args: each");
    CHECK(parameterLines("read!(handle, mutable holder)", "holder: to fill") == "holder: to fill");
    CHECK(parameterLines("erase!(obj, key|filter)", "key: one\nkey|filter: either") == "key|filter: either");
}
