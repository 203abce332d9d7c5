// What a query reads, as nodes that nobody has computed: the binder makes them of `from` and `join`
// (bind/bind_source.h) without running anything, physical/run_source.h computes each once, explain prints them.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/code/query.h"
#include "runtime/registry/registry.h"
#include "runtime/value/value.h"

namespace pelorus {

struct SourceNode;
using SourceRef = std::shared_ptr<const SourceNode>;

// A table that a query reads. Immutable once made, so that threads and queries may share it.
struct SourceNode {
    enum class Kind : uint8_t { Table, File, Derived, TableFunction, JoinFunction, Join };

    SourceNode(Kind kind, NodeRef code, std::string qualifier)
        : kind(kind), code(std::move(code)), qualifier(std::move(qualifier)) {}
    virtual ~SourceNode() = default;

    const Kind kind;
    const NodeRef code;           // as it is written
    const std::string qualifier;  // the name by which the query calls its columns; may be empty
};

// A value that is there: of a variable, of metacode, of a catalog. No table only where the query is wrong.
struct TableSourceNode final : SourceNode {
    TableSourceNode(Value table, NodeRef code, std::string qualifier)
        : SourceNode(Kind::Table, std::move(code), std::move(qualifier)), table(std::move(table)) {}
    const Value table;
};

// "trades.csv": the file that a string names. Or a query in brackets (Derived), or a call or another expression that
// gives a table (TableFunction).
struct CodeSourceNode final : SourceNode {
    using SourceNode::SourceNode;
};

// An argument of a join function: a table of its own, a value that is known, or code that is run to have it.
struct JoinArgument {
    size_t parameter = 0;
    SourceRef table = nullptr;
    NodeRef code = {};
    Value value = {};
};

// ej(a as x, b, …). Its arguments are computed in the order in which they are written.
struct JoinFunctionNode final : SourceNode {
    JoinFunctionNode(const BuiltinFunction& function, std::vector<JoinArgument> arguments, std::string rightName,
                     NodeRef code, std::string qualifier)
        : SourceNode(Kind::JoinFunction, std::move(code), std::move(qualifier)),
          function(function),
          arguments(std::move(arguments)),
          rightName(std::move(rightName)) {}

    // Returns the left (0) or right (1) table; null where the call does not give it.
    const SourceNode* side(size_t parameter) const {
        for (const JoinArgument& argument : arguments) {
            if (argument.parameter == parameter && argument.table) return argument.table.get();
        }
        return nullptr;
    }

    const BuiltinFunction& function;
    const std::vector<JoinArgument> arguments;
    const std::string rightName;  // of the right table in the result; may be empty
};

// a join b on … left join c on …: the sides from left to right, joined one after the other. clauses[i] joins side
// i + 1 to the rows so far.
struct JoinNode final : SourceNode {
    JoinNode(std::vector<SourceRef> sides, std::vector<JoinClause> clauses, NodeRef code)
        : SourceNode(Kind::Join, std::move(code), ""), sides(std::move(sides)), clauses(std::move(clauses)) {}
    const std::vector<SourceRef> sides;
    const std::vector<JoinClause> clauses;
};

}  // namespace pelorus
