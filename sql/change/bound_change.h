// Updates and deletes of row tables that are bound once, for many runs.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/thread/mutex.h"
#include "interpreter/expression/batch_program.h"
#include "runtime/append/row_access.h"
#include "runtime/code/query.h"
#include "runtime/function/context.h"
#include "sql/change/row_change.h"

namespace pelorus {

// A condition and new values over the columns of one table, as programs. What names of the caller's scope stand for are
// parameters: each run has other values, of the same types. Immutable; threads share it.
class BoundChange {
public:
    // Binds an update or delete of a table with these columns, whose names are resolved. Returns null for one that is
    // more than a condition and values of single rows, that reads what is no scalar, or whose types only a run can
    // tell: the engine binds it at each run then.
    static std::shared_ptr<const BoundChange> bind(const Query& query, const TableSchema& columns, Context& context);

    // Returns whether it was bound for a table with these columns.
    bool isOf(const TableSchema& columns) const;
    // Returns the values of the parameters in the scope of `context`; nothing where one has another type than it had.
    std::optional<std::vector<Value>> parametersIn(const Context& context) const;
    // Returns what the condition fixes: see constraintsOfRows.
    std::vector<ColumnConstraint> constraints(const std::vector<Value>& parameters, Context& context) const;
    // Returns the positions of the rows that satisfy the condition. Throws what the functions throw.
    std::vector<int32_t> positions(const Ref<MemoryTable>& rows, const std::vector<Value>& parameters,
                                   Context& context) const;
    // Returns the columns that the condition reads, by their places in the table.
    std::vector<int> readColumns() const;
    // Computes the change of rows. Throws what the functions throw.
    ComputedChange compute(const Ref<MemoryTable>& rows, const std::vector<Value>& parameters, Context& context) const;

private:
    // A value for each row: a constant, a parameter, or what a program computes of its columns.
    struct RowValue {
        Value constant;
        int parameter = -1;
        std::shared_ptr<const BatchProgram> program = nullptr;
        std::vector<int> columns = {};
    };
    // A part of the condition: a comparison of a column with a constant or parameter, or any other, as code.
    struct Fixed {
        NodeRef code;
        int column = -1;
        Operator op = Operator::Eq;
        RowValue value = {};
    };
    struct Parameter {
        std::string name;
        Type type;
        int scale;
    };
    struct Assigned {
        int column;
        std::string name;
        RowValue value;
    };

    bool takeParameters(const Node& code, Context& context);
    std::optional<RowValue> bindValue(const NodeRef& code, Context& context) const;
    Fixed bindFixed(const NodeRef& code, Context& context) const;
    std::vector<int32_t> narrow(Ref<MemoryTable>& rows, const std::vector<Value>& parameters, Context& context) const;
    Value evaluate(const RowValue& value, const MemoryTable& rows, const std::vector<Value>& parameters,
                   Context& context) const;

    TableSchema columns_;
    bool erases_ = false;
    std::vector<Parameter> parameters_;
    std::vector<RowValue> conditions_;
    std::vector<Fixed> fixed_;
    std::vector<Assigned> assigned_;
};

// A statement that changes one row table, with what was bound of it. Thread-safe.
class KeptChange {
public:
    // REQUIRES: `query`, an update or delete, names a table of its scope, and nothing before it needs to run.
    explicit KeptChange(Ref<Query> query) : query_(std::move(query)) {}

    // Runs the statement on a row table, which the table's name in the scope of `context` stands for, and returns the
    // number of rows that match; nothing, and does nothing, when the engine has to run it. Rights, results and errors
    // are those of the engine. `takesMet` is as that of ChangeStatement.
    std::optional<int64_t> run(const Value& table, const std::function<void(const Ref<MemoryTable>& met)>& takesMet,
                               Context& context) const;

    struct Bound {
        std::shared_ptr<const BoundChange> change;
        Ref<Query> resolved;
        std::string source;  // for the audit log
    };
    struct Run {
        std::shared_ptr<const Bound> bound;  // null: the engine has to run the statement
        std::vector<Value> parameters;
    };
    // Returns what was bound for the parameters in the scope of `context`, and their values.
    Run prepareRun(const Value& table, Context& context) const LOCKS_EXCLUDED(mutex_);

private:
    const Ref<Query> query_;
    mutable Mutex mutex_;
    mutable std::vector<std::shared_ptr<const Bound>> bound_ GUARDED_BY(mutex_);  // one for each types of parameters
    mutable size_t failures_ GUARDED_BY(mutex_) = 0;                              // how often it could not be bound
};

}  // namespace pelorus
