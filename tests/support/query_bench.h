// A session for tests that look at what is made of queries: their plans, and what those give.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/code/query.h"
#include "runtime/format/to_source.h"
#include "sql/execute.h"
#include "sql/explain/plan_text.h"
#include "sql/physical/prepare_select.h"
#include "sql/physical/run_select.h"
#include "sql/plan/optimize.h"
#include "sql/sql_builtins.h"
#include "tests/support/script_bench.h"

namespace pelorus::testing {

class QueryBench : public ScriptBench {
public:
    QueryBench() {
        static const bool isRegistered = [] {
            registerSqlBuiltins(FunctionRegistry::instance());
            return true;
        }();
        (void)isRegistered;
    }

    Ref<Query> query(std::string_view string) {
        const NodeRef node = code(string);
        if (node->kind != NodeKind::Query) throw InternalError("This is no query: " + std::string(string));
        return Ref<Query>(static_cast<Query*>(node.get()));
    }
    PlanRef bound(std::string_view string) { return boundSelect(*query(string), context); }
    PlanRef plan(std::string_view string) { return optimized(bound(string), context); }
    std::string explained(std::string_view string) { return planText(*query(string), context); }
    Value answer(std::string_view string) { return executeQuery(*query(string), context); }
    std::string shownAnswer(std::string_view string) { return display(answer(string)); }
    // The conditions after `where` of a query over the table `t`, as they are written.
    NodeList conditions(std::string_view string) {
        return query("select * from t where " + std::string(string))->where;
    }
};

// The kinds of the nodes from the last that is done down to the first, as "Limit Sort Project Scan".
inline std::string kindsOf(const PlanNode& plan) {
    static constexpr const char* kNames[] = {"Constants",      "Scan",      "Filter",      "Project",  "TopRows",
                                             "Collect",        "Aggregate", "WholeGroups", "Interval", "Cumulative",
                                             "CumulativeRows", "Pivot",     "Window",      "Roll",     "Over",
                                             "PerPartition",   "Phases",    "Distinct",    "Sort",     "Limit"};
    const std::string own = kNames[static_cast<size_t>(plan.kind)];
    return plan.input ? own + " " + kindsOf(*plan.input) : own;
}

// Returns the first node of the type below `plan`, or null.
template <class Node>
const Node* findNode(const PlanNode& plan) {
    for (const PlanNode* node = &plan; node != nullptr; node = node->input.get()) {
        if (const auto* found = dynamic_cast<const Node*>(node)) return found;
    }
    return nullptr;
}

inline std::vector<std::string> sourcesOf(const NodeList& nodes) {
    std::vector<std::string> strings;
    for (const NodeRef& node : nodes) strings.push_back(toSource(*node));
    return strings;
}

}  // namespace pelorus::testing
