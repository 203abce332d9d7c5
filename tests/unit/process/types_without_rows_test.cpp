// The queries of the script tests have columns of the same types when a condition lets no row pass: types are those of
// expressions, not of rows.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "common/error.h"
#include "interpreter/engine/engine.h"
#include "interpreter/parser/parser.h"
#include "interpreter/session/session.h"
#include "runtime/code/query.h"
#include "runtime/code/rewrite.h"
#include "runtime/code/statement.h"
#include "runtime/format/to_source.h"
#include "runtime/function/principal.h"
#include "runtime/table/table.h"
#include "sql/execute.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/process/whole_process.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

// The scripts of a file: a line `// ---` ends one.
std::vector<std::string> scriptsOf(const std::filesystem::path& path) {
    std::ifstream file(path);
    std::vector<std::string> scripts(1);
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("// ---")) {
            scripts.emplace_back();
        } else {
            scripts.back() += line + "\n";
        }
    }
    return scripts;
}

size_t offsetOf(const std::string& text, SourcePosition place) {
    size_t offset = 0;
    for (int line = 1; line < static_cast<int>(place.line); ++line) offset = text.find('\n', offset) + 1;
    return offset + static_cast<size_t>(place.column) - 1;
}

// "k INT, x DOUBLE"
std::string typesOf(const Value& value) {
    if (!value.isTable()) return std::string(typeName(value.type()));
    std::string string;
    for (const ColumnSchema& c : value.table().columns())
        string += (string.empty() ? "" : ", ") + c.name + " " + std::string(typeName(c.type));
    return string;
}

// Queries whose types rows decide, and why. Each must be met, and must differ.
constexpr std::string_view kDecidedByRows[] = {
    "exec g from t group by g having [true,false]",  // the list has a value for each of two groups, not of none
    "select first(v) as first,last(v) as last,sum(id) as total from v",  // of arrays: no row has no type yet
};

// The statements of a script, run one by one in a session; selects also without rows.
class Script {
public:
    explicit Script(const std::string& text) : text_(text), session_(wholeProcess().services()) {
        request_.print = [](std::string_view) {};
        context_.session = &session_;
        context_.scope = &session_;
    }

    void run() {
        NodeList statements;
        try {
            statements = parseScript(text_, rolesIn(session_));
        } catch (const Error&) {
            return;  // a script about errors of syntax
        }
        for (size_t i = 0; i < statements.size(); ++i) {
            const size_t begin = offsetOf(text_, statements[i]->position);
            const size_t end = i + 1 < statements.size() ? offsetOf(text_, statements[i + 1]->position) : text_.size();
            if (!runStatement(text_.substr(begin, end - begin))) return;
        }
    }

    int compared = 0, decidedByRows = 0;

private:
    // Returns false when the statement fails, and those behind it would, too.
    bool runStatement(const std::string& string) {
        try {
            Context outside(wholeProcess().services(), request_);
            outside.session = &session_;
            const Value value = evaluate(string, session_, outside);
            const NodeList parsed = parseScript(string, rolesIn(session_));
            if (parsed.size() == 1) compare(*parsed[0], value);
            return true;
        } catch (const Error&) {
            return false;
        }
    }

    void compare(const Node& statement, const Value& value) {
        if (statement.kind != NodeKind::ExpressionStatement) return;
        const NodeRef& expression = static_cast<const ExpressionStatement&>(statement).expression;
        if (expression->kind != NodeKind::Query) return;
        const auto& query = static_cast<const Query&>(*expression);
        const bool reads = query.verb == QueryVerb::Select || query.verb == QueryVerb::Exec;
        // The values of pivot by are its columns.
        if (!reads || !query.table || query.hint != 0 || query.grouping == GroupKind::Pivot) return;
        const Ref<Query> none = copyQuery(query);
        const SourcePosition here = query.position;
        const auto number = [&](int n) { return makeRef<Constant>(Value::ofInt(n), here); };
        none->where.insert(none->where.begin(), makeRef<Binary>(Operator::Eq, number(1), number(0), here));
        INFO(toSource(query));
        std::string without;
        try {
            without = typesOf(executeQuery(*none, context_));
        } catch (const Error& error) {
            without = error.what();
        }
        const auto* known = std::find(std::begin(kDecidedByRows), std::end(kDecidedByRows), toSource(query));
        if (known != std::end(kDecidedByRows)) {
            ++decidedByRows;
            CHECK(without != typesOf(value));
            return;
        }
        ++compared;
        CHECK(without == typesOf(value));
    }

    const std::string text_;
    Session session_;
    Request request_{Principal::owner()};
    Context context_{wholeProcess().services(), request_};
};

// Scripts write files beside where they run.
class InFolder {
public:
    explicit InFolder(const std::filesystem::path& folder) : outer_(std::filesystem::current_path()) {
        std::filesystem::current_path(folder);
    }
    ~InFolder() { std::filesystem::current_path(outer_); }
    InFolder(const InFolder&) = delete;
    InFolder& operator=(const InFolder&) = delete;

private:
    const std::filesystem::path outer_;
};

}  // namespace

TEST_CASE("queries of the script tests have the types of their expressions, without rows as with them") {
    const TemporaryFolder folder;
    const InFolder inside(folder.path());
    int compared = 0;
    size_t decidedByRows = 0;
    for (const auto& entry : std::filesystem::directory_iterator(PELORUS_SCRIPTS "/queries")) {
        if (entry.path().extension() != ".dos") continue;
        INFO(entry.path().filename());
        for (const std::string& text : scriptsOf(entry.path())) {
            Script script(text);
            script.run();
            compared += script.compared;
            decidedByRows += static_cast<size_t>(script.decidedByRows);
        }
    }
    INFO(compared << " queries");
    CHECK(compared > 150);
    CHECK(decidedByRows == std::size(kDecidedByRows));
}
