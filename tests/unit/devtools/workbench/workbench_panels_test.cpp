#include "devtools/workbench/workbench_panels.h"

#include <catch2/catch.hpp>

#include "common/error.h"
#include "devtools/dap/debug_host.h"
#include "devtools/lsp/feature.h"
#include "runtime/table/table.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/vector.h"

using namespace pelorus;

namespace {

Value strings(const std::vector<std::string>& elements) {
    return Value::of(Vector::ofStrings(elements, Type::String));
}

// A database that answers calls by what the test has put there, and notes them.
class AnswersByName final : public ScriptRunner {
public:
    void run(std::string_view script, const std::function<void(const Value&)>& show) override {
        calls.emplace_back(script);
        show(answer(script));
    }
    Value call(std::string_view function, std::vector<Value> arguments) override {
        calls.emplace_back(function);
        given = std::move(arguments);
        return answer(function);
    }
    void interrupt() override {}
    Progress::Snapshot progress() const override { return {}; }
    std::shared_ptr<const Principal> principal() const override { return nullptr; }
    std::string name() const override { return "test"; }
    std::unique_ptr<DebugHost> debugHost() override { return nullptr; }

    std::map<std::string, Value, std::less<>> answers;
    std::vector<std::string> calls;
    std::vector<Value> given;

private:
    Value answer(std::string_view name) const {
        const auto found = answers.find(name);
        if (found == answers.end()) throw UserError("There is no function " + std::string(name) + ".");
        return found->second;
    }
};

Value objects() {
    return Value::of(Ref<Table>(
        makeRef<MemoryTable>(std::vector<std::string>{"name", "type", "form", "rows", "shared"},
                             std::vector<Value>{strings({"t", "d", "odd name"}), strings({"TABLE", "ANY", "TABLE"}),
                                                strings({"TABLE", "DICTIONARY", "TABLE"}),
                                                Value::of(Vector::of<int32_t>(Type::Int, {5, null<int32_t>, 1})),
                                                Value::of(Vector::of<int8_t>(Type::Bool, {1, 0, 0}))})));
}

}  // namespace

TEST_CASE("variables are told with what the session lists of them, and without what it does not") {
    const Json variables = variablesFrom(objects());
    REQUIRE(variables.size() == 3);
    CHECK(variables[0]["name"] == "t");
    CHECK(variables[0]["rows"] == 5);
    CHECK(variables[0]["isShared"] == true);
    CHECK(variables[1]["rows"].is_null());
    CHECK(variables[1]["bytes"].is_null());
    CHECK(variablesFrom(Value::ofInt(1)) == Json::array());
}

TEST_CASE("databases have their tables, also those without any") {
    AnswersByName runner;
    runner.answers["getClusterDFSDatabases"] = strings({"dfs://b", "dfs://a"});
    runner.answers["getClusterDFSTables"] = strings({"dfs://b/u", "dfs://b/t"});
    const Json databases = listDatabases(runner);
    CHECK(databases == Json::parse(R"([{"path":"dfs://a","tables":[]},{"path":"dfs://b","tables":["u","t"]}])"));
}

TEST_CASE("a database without jobs has empty lists, and each kind is cancelled by its own function") {
    AnswersByName runner;
    runner.answers["getConsoleJobs"] = objects();
    const Json jobs = listJobs(runner);
    CHECK(jobs["running"].size() == 3);
    CHECK(jobs["batch"] == Json::array());
    runner.answers["cancelJob"] = runner.answers["cancelConsoleJob"] = Value();
    cancelJob(runner, "j1", true);
    CHECK(runner.calls.back() == "cancelJob");
    cancelJob(runner, "j1", false);
    CHECK(runner.calls.back() == "cancelConsoleJob");
    CHECK(runner.given.at(0).string() == "j1");
}

TEST_CASE("a node is described by what the user may read of it") {
    AnswersByName runner;
    const Json nothing = describeNode(runner);
    for (const char* list : {"nodes", "figures", "streams", "subscriptions", "log"})
        CHECK(nothing[list] == Json::array());
    runner.answers["getClusterPerf"] = objects();
    runner.answers["getServerLog"] = strings({"first", "last"});
    auto figures = makeRef<Dictionary>(Type::String, Type::Any, true);
    figures->set(Value::ofString("avgLoad"), Value::ofDouble(0.5));
    runner.answers["getPerf"] = Value::of(std::move(figures));
    const Json node = describeNode(runner);
    CHECK(node["nodes"].size() == 3);
    CHECK(node["log"] == Json::parse(R"(["first","last"])"));
    CHECK(node["figures"] == Json::parse(R"([{"name":"avgLoad","value":"0.5"}])"));
}

TEST_CASE("copies are counted for each node, and are none where the user may read nothing") {
    AnswersByName runner;
    CHECK(describeCopies(runner) == Json::parse(R"({"partitions":0,"fewest":0,"most":0,"recovering":0,"nodes":[]})"));
    runner.answers["getSyncStates"] = Value::of(Ref<Table>(makeRef<MemoryTable>(
        std::vector<std::string>{"name", "state"},
        std::vector<Value>{strings({"node1", "node2", "node3"}), strings({"in sync", "joining", "in sync"})})));
    describeCopies(runner);
    const std::string counts = runner.calls.front();  // the function that counts where the partitions are listed
    runner.answers[counts] = Value::of(
        makeRef<Tuple>(std::vector<Value>{Value::ofLong(3), Value::ofInt(1), Value::ofInt(2), Value::ofLong(1),
                                          Value::ofString("node1:7:0,node2:7:0,node1:7:0,node1:8:0,node3:8:0")}));
    const Json copies = describeCopies(runner);
    CHECK(copies["partitions"] == 3);
    CHECK(copies["fewest"] == 1);
    CHECK(copies["recovering"] == 1);
    CHECK(copies["nodes"][0]["copies"] == 3);
    CHECK(copies["nodes"][1]["copies"] == 1);
    CHECK(copies["nodes"][1]["state"] == "joining");
}

TEST_CASE("an upload stays in its folder: other names are refused before anything is called") {
    AnswersByName runner;
    for (const std::string& file : {std::string(), std::string(".hidden"), std::string("../x"), std::string("a/b"),
                                    std::string("a b"), std::string("a'b"), std::string(101, 'a')}) {
        INFO(file);
        CHECK_THROWS_WITH(uploadText(runner, file, "text", false),
                          "The file must be a name of letters, digits, dots, - and _.");
        CHECK_THROWS_AS(removeUpload(runner, file), UserError);
    }
    CHECK(runner.calls.empty());
    // A name that is one comes to the database.
    CHECK_THROWS_AS(removeUpload(runner, "rows-1_2.csv"), UserError);
    REQUIRE(runner.calls.size() == 1);
    CHECK(runner.given.at(0).string() == "rows-1_2.csv");
}

TEST_CASE("names of the session have their kinds, and tables their columns") {
    AnswersByName runner;
    runner.answers["objs(true)"] = objects();
    runner.answers["exec name from defs() where userDefined"] = strings({"f"});
    runner.answers["(columnNames(t), 0)"] =
        Value::of(makeRef<Tuple>(std::vector<Value>{strings({"a", "b"}), Value::ofInt(0)}));
    const auto names = sessionNames(runner);
    CHECK(names.at("t").kind == NameKind::Table);
    CHECK(names.at("t").members == std::vector<std::string>{"a", "b"});
    CHECK(names.at("d").kind == NameKind::Dictionary);
    CHECK(names.at("f").kind == NameKind::Function);
    // What is no word is not written into a script.
    CHECK(names.at("odd name").members.empty());
}
