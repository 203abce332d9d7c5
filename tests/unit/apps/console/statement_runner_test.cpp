#include "apps/console/statement_runner.h"

#include <unistd.h>
#include <catch2/catch.hpp>

#include "common/error.h"
#include "devtools/dap/debug_host.h"
#include "runtime/table/table.h"
#include "runtime/value/vector.h"
#include "tests/support/environment.h"

using namespace pelorus;
using pelorus::testing::CapturedStream;

namespace {

// A console that shows the values it was given, then fails if it shall.
class ScriptedConsole final : public Console {
public:
    void run(std::string_view script, const std::function<void(const Value&)>& show) override {
        ran = script;
        for (const Value& value : values) show(value);
        if (!failure.empty()) throw UserError(failure);
    }
    Value call(std::string_view, std::vector<Value>) override { return {}; }
    Progress::Snapshot progress() const override { return {}; }
    Progress::ChangedRows changedRows() const override { return rows; }
    void setVariable(const std::string&, const Value&) override {}
    void interrupt() override { isInterrupted = true; }
    const SessionNames& names() const override { return names_; }
    std::unique_ptr<DebugHost> debugHost() override { return nullptr; }

    std::string ran;
    std::vector<Value> values;
    std::string failure;
    Progress::ChangedRows rows;
    bool isInterrupted = false;

private:
    SessionNames names_;
};

struct Conversation {
    ScriptedConsole console;
    Output output{false};
    StatementRunner runner{output};
    CapturedStream written, errors{std::cerr};
};

Value smallTable() {
    return Value::of(Ref<Table>(makeRef<MemoryTable>(
        std::vector<std::string>{"a"}, std::vector<Value>{Value::of(Vector::of<int32_t>(Type::Int, {1, 2}))})));
}

}  // namespace

TEST_CASE("values are shown as they come, and the last one is kept") {
    Conversation talk;
    talk.console.values = {Value::ofInt(1), Value::ofInt(2), Value()};
    CHECK(talk.runner.run(talk.console, "1; 2; f()"));
    CHECK(talk.written.take() == "1\n2\n");
    CHECK(talk.runner.lastValue().integer() == 2);
}

TEST_CASE("an error is shown with where the script came from, and what came before it stays") {
    Conversation talk;
    talk.console.values = {Value::ofInt(1)};
    talk.console.failure = "It failed.";
    CHECK(!talk.runner.run(talk.console, "1; f()", "load.dos"));
    CHECK(talk.written.take() == "1\n");
    CHECK(talk.errors.take() == "load.dos: It failed.\n");
    CHECK(talk.runner.lastValue().integer() == 1);
}

TEST_CASE("rows that were appended are counted, and their table is not shown") {
    Conversation talk;
    talk.console.values = {smallTable()};
    talk.console.rows = {2500, 1200};
    CHECK(talk.runner.run(talk.console, "t.append!(u)"));
    CHECK(talk.written.take().find("2,500 rows appended, 1,200 replaced") != std::string::npos);
    CHECK(talk.runner.lastValue().isVoid());
    // The same value of another statement is shown.
    talk.runner.run(talk.console, "t");
    CHECK(talk.written.take().find("appended") == std::string::npos);
    CHECK(talk.runner.lastValue().isTable());
    talk.console.failure = "It failed.";
    talk.runner.run(talk.console, "t.append!(u)");
    CHECK(talk.written.take().find("appended") == std::string::npos);
}

TEST_CASE("a script that ends in its mark runs without it, and shows its values upright") {
    Conversation talk;
    talk.console.values = {smallTable()};
    talk.runner.run(talk.console, "t \\G ;\n");
    CHECK(talk.console.ran == "t ");
    const std::string upright = talk.written.take();
    talk.runner.run(talk.console, "t");
    CHECK(talk.console.ran == "t");
    CHECK(talk.written.take() != upright);
    talk.runner.run(talk.console, "G");
    CHECK(talk.console.ran == "G");
}

TEST_CASE("an interrupt reaches the console, and ends the value that is shown") {
    Conversation talk;
    talk.runner.interrupt(talk.console);
    CHECK(talk.console.isInterrupted);
    // The next statement is not interrupted.
    talk.console.values = {Value::ofInt(7)};
    talk.runner.run(talk.console, "7");
    CHECK(talk.written.take() == "7\n");
}
