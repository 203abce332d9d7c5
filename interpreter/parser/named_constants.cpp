#include "interpreter/parser/named_constants.h"

#include <algorithm>
#include <numbers>

#include "runtime/function/function.h"

namespace pelorus {

namespace {

struct NamedInteger {
    std::string_view word;
    int32_t value;
};
constexpr NamedInteger kIntegers[] = {
    {"SCALAR", 0},
    {"VECTOR", 1},
    {"PAIR", 2},
    {"MATRIX", 3},
    {"SET", 4},
    {"DICT", 5},
    {"TABLE", 6},
    {"SEQ", 0},
    {"VALUE", 1},
    {"RANGE", 2},
    {"LIST", 3},
    {"COMPO", 4},
    {"HASH", 5},
    {"AREA", 0},
    {"BAR", 1},
    {"COLUMN", 2},
    {"HISTOGRAM", 3},
    {"LINE", 4},
    {"PIE", 5},
    {"SCATTER", 6},
    {"TREND", 7},
    {"KLINE", 8},
    {"VAR", 0},
    {"SHARED", 1},
    {"DEF", 2},
    {"HEAD", 0},
    {"CURRENT", 1},
    {"TAIL", 2},
    // of queries: SQL-90
    {"HINT_LOCAL", 1},
    {"HINT_HASH", 32},
    {"HINT_SNAPSHOT", 64},
    {"HINT_KEEPORDER", 128},
    {"HINT_SEQ", 512},
    {"HINT_NOMERGE", 1024},
    {"HINT_PRELOAD", 4096},
    {"HINT_EXPLAIN", 32768},
    {"HINT_SORT", 524288},
    {"HINT_VECTORIZED", 4194304},
    // of isDuplicated and keepDuplicates
    {"ALL", 0},
    {"FIRST", 1},
    {"LAST", 2},
    {"NONE", 3},
};

}  // namespace

bool namedConstant(std::string_view word, Value& value) {
    if (word == "pi" || word == "e") {
        value = Value::ofDouble(word == "pi" ? std::numbers::pi : std::numbers::e);
        return true;
    }
    if (word == "DFLT") {
        value = defaultArgument();
        return true;
    }
    if (word.empty() || word[0] < 'A' || word[0] > 'Z') return false;
    for (const NamedInteger& row : kIntegers) {
        if (row.word != word) continue;
        value = Value::ofInt(row.value);
        return true;
    }
    bool upper = std::none_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; });
    Type type;
    if (!upper || !typeByName(word, type)) return false;
    value = Value::ofInt(static_cast<int32_t>(type));
    return true;
}

}  // namespace pelorus
