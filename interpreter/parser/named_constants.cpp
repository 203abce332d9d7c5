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
    {"SURFACE", 9},
    {"VAR", 0},
    {"SHARED", 1},
    {"DEF", 2},
    {"HEAD", 0},
    {"CURRENT", 1},
    {"TAIL", 2},
    // of queries
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

// Kinds of rights, for grant, deny and revoke: the value of each is its name as a STRING.
constexpr std::string_view kRights[] = {
    "TABLE_READ",
    "TABLE_WRITE",
    "TABLE_INSERT",
    "TABLE_UPDATE",
    "TABLE_DELETE",
    "TABLE_SENSITIVE_VIEW",
    "DB_READ",
    "DB_WRITE",
    "DB_INSERT",
    "DB_UPDATE",
    "DB_DELETE",
    "DB_MANAGE",
    "DB_OWNER",
    "DB_SENSITIVE_VIEW",
    "DBOBJ_CREATE",
    "DBOBJ_DELETE",
    "CATALOG_MANAGE",
    "CATALOG_READ",
    "CATALOG_WRITE",
    "CATALOG_INSERT",
    "CATALOG_UPDATE",
    "CATALOG_DELETE",
    "SCHEMA_MANAGE",
    "SCHEMA_READ",
    "SCHEMA_WRITE",
    "SCHEMA_INSERT",
    "SCHEMA_UPDATE",
    "SCHEMA_DELETE",
    "SCHEMAOBJ_CREATE",
    "SCHEMAOBJ_DELETE",
    "VIEW_EXEC",
    "VIEW_OWNER",
    "SCRIPT_EXEC",
    "TEST_EXEC",
    "QUERY_RESULT_MEM_LIMIT",
    "TASK_GROUP_MEM_LIMIT",
    "COMPUTE_GROUP_EXEC",
    "CREATE_SHARED_VAR",
    "CREATE_SHARED_VARS",
    "FILE_READ",
    "FILE_WRITE",
    "MODULE_WRITE",
    "MAX_PARTITION_NUM_PER_QUERY",
    "MCP_MANAGE",
    "MCP_DEVELOP",
    "MCP_EXEC",
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
    if (std::find(std::begin(kRights), std::end(kRights), word) != std::end(kRights)) {
        value = Value::ofString(word);
        return true;
    }
    bool upper = std::none_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; });
    Type type;
    if (!upper || !typeByName(word, type)) return false;
    value = Value::ofInt(static_cast<int32_t>(type));
    return true;
}

}  // namespace pelorus
