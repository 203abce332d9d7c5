#include "apps/console/remote_names.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "runtime/table/table.h"
#include "runtime/value/vector.h"

using namespace pelorus;

namespace {

Value strings(const std::vector<std::string>& elements) {
    return Value::of(Vector::ofStrings(elements, Type::String));
}

Value tableOf(const std::vector<std::string>& names, const std::vector<std::vector<std::string>>& columns) {
    std::vector<Value> values;
    for (const auto& column : columns) values.push_back(strings(column));
    return Value::of(Ref<Table>(makeRef<MemoryTable>(names, values)));
}

// A node that knows some variables, and counts what it is asked.
struct Node {
    Value answer(const std::string& script) {
        ++asked;
        last = script;
        if (isGone) throw SystemError("The node does not answer.");
        if (script == "objs(true)") {
            return tableOf({"name", "type", "form"}, {{"t", "d", "db", "x", "v", "odd"},
                                                      {"TABLE", "ANY", "HANDLE", "INT", "DOUBLE", "NOTYPE"},
                                                      {"TABLE", "DICTIONARY", "SYSOBJ", "SCALAR", "VECTOR", "SCALAR"}});
        }
        if (script.find("defs()") != std::string::npos) return tableOf({"name", "syntax"}, {{"f"}, {"(x, [y])"}});
        if (script == "exec name from schema(t).colDefs") return strings({"sym", "price"});
        if (script == "string(keys(d))") return strings({"a"});
        if (script.find("databaseDir") != std::string::npos) return strings({"dfs://ticks"});
        return Value::ofInt(1);
    }

    int asked = 0;
    bool isGone = false;
    std::string last;
    RemoteNames names{[this](const std::string& script) { return answer(script); }};
};

}  // namespace

TEST_CASE("variables and functions of the node are known by their forms") {
    Node node;
    CHECK(node.names.kindOf("t") == NameKind::Table);
    CHECK(node.names.kindOf("d") == NameKind::Dictionary);
    CHECK(node.names.kindOf("db") == NameKind::Database);
    CHECK(node.names.kindOf("x") == NameKind::Variable);
    CHECK(node.names.kindOf("f") == NameKind::Function);
    CHECK(node.names.kindOf("nobody") == NameKind::Unknown);
    CHECK(node.names.signatureOf("f") == "f(x, [y])");
    CHECK(node.names.signatureOf("x").empty());
    CHECK(node.names.names().size() == 7);
    CHECK(node.names.membersOf("t") == std::vector<std::string>{"sym", "price"});
    CHECK(node.names.membersOf("d") == std::vector<std::string>{"a"});
    CHECK(node.names.databaseOf("db") == "dfs://ticks");
    CHECK(node.names.databaseOf("t").empty());
}

TEST_CASE("the node is asked once for each thing, until the next statement") {
    Node node;
    for (int i = 0; i < 5; ++i) {
        node.names.kindOf("t");
        node.names.membersOf("t");
        node.names.membersOf("x");
    }
    CHECK(node.asked == 3);
    node.names.forget();
    node.names.membersOf("t");
    CHECK(node.asked == 6);
}

TEST_CASE("a node that does not answer leaves names unknown, and is not asked at each key") {
    Node node;
    node.isGone = true;
    CHECK(node.names.kindOf("t") == NameKind::Unknown);
    CHECK(node.names.names().empty());
    CHECK(node.names.databases().empty());
    CHECK(node.asked == 2);
    node.names.databases();
    CHECK(node.asked == 2);
    node.isGone = false;
    node.names.forget();
    CHECK(node.names.kindOf("t") == NameKind::Table);
}

TEST_CASE("names of databases and tables are quoted, whatever they hold") {
    Node node;
    node.names.tablesOf("dfs://a\"b");
    CHECK(node.last == "getTables(database(\"dfs://a\\\"b\"))");
    CHECK(node.names.columnsOf("dfs://x", "t").empty());
    CHECK(node.last == "exec name from schema(loadTable(\"dfs://x\", \"t\")).colDefs");
}
