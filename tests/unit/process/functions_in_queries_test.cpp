// Every function in every clause of a query, with every number of arguments: a result or an error that says what is
// wrong, and for aggregates by groups the result that the function returns for the rows of each group.
//
// PELORUS_QUERY_CALLS sets how many calls are drawn for each number of arguments and clause (2), PELORUS_SEED the seed.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "runtime/table/table.h"
#include "tests/unit/process/drawn_calls.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

// Six rows in three groups, a column of each type.
constexpr const char* kGroups = "1 2 1 3 2 1";

class Rows {
public:
    Rows() {
        std::string columns = std::string(kGroups) + " as g";
        for (const auto& [type, elements] : itemsByType()) {
            columns += ", take((" + elements + "), 6) as c" + type;
            names_.push_back("c" + type);
        }
        wholeProcess().run("share table(" + columns + ") as functionsInQueries");
    }
    ~Rows() { wholeProcess().run("undef(`functionsInQueries, SHARED)"); }
    Rows(const Rows&) = delete;
    Rows& operator=(const Rows&) = delete;

    const std::vector<std::string>& names() const { return names_; }

private:
    std::vector<std::string> names_;
};

struct Outcome {
    std::string error;  // empty where there is a value
    Value value;
};

Outcome outcomeOf(const std::string& script) {
    INFO(script);
    try {
        return {{}, wholeProcess().run(script)};
    } catch (const UserError& error) {
        return {error.what(), {}};
    } catch (const Error& error) {
        FAIL_CHECK(script << " gave no error of the user's: " << error.what());
        return {error.what(), {}};
    }
}

bool isSame(const Value& a, const Value& b) {
    if (a.isScalar() && b.isScalar() && isFloating(a.type()) && isFloating(b.type()) && !a.isNull() && !b.isNull()) {
        const double x = a.asDouble(), y = b.asDouble();
        return x == y || (std::isnan(x) && std::isnan(y)) ||
               std::abs(x - y) <= 1e-9 * std::max(std::abs(x), std::abs(y));
    }
    return display(a) == display(b);
}

// Calls of one function over columns and constants, drawn.
class Draw {
public:
    Draw(const Rows& rows, unsigned seed) : rows_(rows), random_(seed) {}

    std::string argument() {
        static const std::vector<std::string> constants = {"1",   "2.5",  "\"ab\"", "true", "0.5",
                                                           "1:2", "NULL", "`g",     "3 4",  "[1, `a]"};
        if (random_() % 4 == 0) return constants[random_() % constants.size()];
        // Most functions want numbers.
        if (random_() % 3 == 0) return random_() % 2 ? "cDOUBLE" : "cINT";
        return rows_.names()[random_() % rows_.names().size()];
    }
    std::string call(std::string_view function, int arguments) {
        std::string string = std::string(function) + "(";
        for (int i = 0; i < arguments; ++i) string += (i ? ", " : "") + argument();
        return string + ")";
    }

private:
    const Rows& rows_;
    std::mt19937 random_;
};

int calls() {
    const char* set = std::getenv("PELORUS_QUERY_CALLS");
    return set ? std::atoi(set) : 2;
}

bool readsColumns(const std::string& call) {
    return std::any_of(itemsByType().begin(), itemsByType().end(),
                       [&](const auto& element) { return call.find("c" + element.first) != std::string::npos; });
}

// Returns the function of the rows of each group, computed separately.
std::string ofGroup(const std::string& call, int group) {
    const std::string g = std::to_string(group);
    std::string script;
    for (const auto& [type, elements] : itemsByType()) {
        if (call.find("c" + type) == std::string::npos) continue;
        script += "c" + type + " = (exec c" + type + " from functionsInQueries)[(" + kGroups + ") == " + g + "]\n";
    }
    return script + call;
}

}  // namespace

TEST_CASE("every function in every clause of a query gives an answer, or an error of the user's") {
    const unsigned seed = std::getenv("PELORUS_SEED") ? Drawing::fromEnvironment().seed : std::random_device()() >> 1;
    INFO("seed " << seed);
    const Rows rows;
    static const std::vector<std::pair<std::string, std::string>> clauses = {
        {"select ", " as x from functionsInQueries"},
        {"select ", " as x from functionsInQueries group by g"},
        {"select g, ", " as x from functionsInQueries context by g"},
        {"select count(*) as n from functionsInQueries where ", ""},
        {"select count(*) as n from functionsInQueries group by ", " as k"},
        {"select g from functionsInQueries group by g having ", ""},
        {"select cINT from functionsInQueries order by ", ""},
        {"select cINT from functionsInQueries context by g csort ", " limit 1"},
        {"select g from functionsInQueries context by g having ", ""},
        {"select sum(cINT) over (partition by g order by ", ") as x from functionsInQueries"},
        {"select ", " over (partition by g order by cINT) as x from functionsInQueries"},
        {"select sum(cINT) as x from functionsInQueries cgroup by ", " as k order by k"},
        {"select sum(cINT) as x from functionsInQueries group by interval(", ", 2, `null) as k"},
        {"select case when ", " then 1 else 0 end as x from functionsInQueries"},
        {"exec count(*) from ej(functionsInQueries, functionsInQueries, `g) where ", ""},
        {"t = select * from functionsInQueries; update t set g = ", ""},
        {"t = select * from functionsInQueries; update t set g = 1 where ", ""},
        {"t = select * from functionsInQueries; update t set g = ", " context by g"},
        {"t = select * from functionsInQueries; delete from t where ", ""},
        {"select distinct ", " as x from functionsInQueries order by g"},
        {"select ", " as x from functionsInQueries pivot by g, cSYMBOL"},
        {"exec ", " from functionsInQueries where g < 0 group by g"},
        {"select top 2 ", " as x from functionsInQueries context by g limit 1"},
    };
    int functions = 0, answers = 0;
    for (std::string_view name : FunctionRegistry::instance().names()) {
        const BuiltinFunction& f = FunctionRegistry::instance().get(name);
        if (isLeftOut(f)) continue;
        ++functions;
        Draw draw(rows, seed + static_cast<unsigned>(std::hash<std::string_view>()(name)));
        const int most = std::min(f.signature().maxArguments(), 4);
        for (int count = 0; count <= most + 1; ++count) {
            for (const auto& [before, after] : clauses) {
                for (int i = 0; i < calls(); ++i)
                    answers += outcomeOf(before + draw.call(name, count) + after).error.empty();
            }
        }
    }
    INFO(functions << " functions gave " << answers << " answers");
    CHECK(functions > 700);
    CHECK(answers > 10 * functions);
}

TEST_CASE("an aggregate by groups is the function of the rows of each group, whatever is drawn") {
    const unsigned seed = std::getenv("PELORUS_SEED") ? Drawing::fromEnvironment().seed : std::random_device()() >> 1;
    INFO("seed " << seed);
    const Rows rows;
    int compared = 0, functions = 0;
    for (std::string_view name : FunctionRegistry::instance().names()) {
        const BuiltinFunction& f = FunctionRegistry::instance().get(name);
        if (isLeftOut(f) || !f.signature().aggregate) continue;
        ++functions;
        Draw draw(rows, seed + static_cast<unsigned>(std::hash<std::string_view>()(name)));
        const int most = std::min(f.signature().maxArguments(), 4);
        for (int count = std::max(f.signature().minArguments(), 1); count <= most; ++count) {
            for (int i = 0; i < 10 * calls(); ++i) {
                const std::string call = draw.call(name, count);
                if (!readsColumns(call)) continue;  // a constant is repeated for all rows
                const Outcome grouped =
                    outcomeOf("select " + call + " as x from functionsInQueries group by g order by g");
                if (!grouped.error.empty() || grouped.value.table().columns().size() != 2) continue;
                for (int g = 1; g <= 3; ++g) {
                    const Outcome alone = outcomeOf(ofGroup(call, g));
                    INFO(call << " of group " << g);
                    CHECK(alone.error.empty());
                    if (!alone.error.empty() || !alone.value.isScalar()) continue;
                    const Value element = static_cast<const MemoryTable&>(grouped.value.table()).column(1).at(g - 1);
                    INFO(display(element) << " by groups, " << display(alone.value) << " alone");
                    CHECK(isSame(element, alone.value));
                    ++compared;
                }
            }
        }
    }
    INFO(functions << " aggregates");
    CHECK(functions > 60);
    CHECK(compared > 1000);
}
