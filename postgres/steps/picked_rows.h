// Columns of few rows, in the order and number that a query asks for, without a plan of the engine.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "postgres/steps/plan_steps.h"
#include "runtime/code/query.h"

namespace pelorus {
class MemoryTable;
struct OrderKey;
}  // namespace pelorus

namespace pelorus::postgres {

// Returns the name of a column of the table of that name; empty for any other code.
std::string columnOf(const NodeRef& code, const std::string& table);

// The select list of a query that has nothing but columns of one table, its order by such columns, and its limit.
class PickedRows {
public:
    // Returns that of a query over a table of this name, whose condition is left to the caller; null where it asks for
    // anything else.
    static std::shared_ptr<const PickedRows> of(const Query& query, const std::string& table);

    // Returns the names of the columns that are read, each once.
    const std::vector<std::string>& columns() const { return columns_; }
    bool isOrdered() const { return !keys_.empty(); }

    // Gives the column of this name; all have the same number of elements.
    using Columns = std::function<Value(const std::string& name)>;
    // Returns the positions among `rows` rows, in order.
    std::vector<int32_t> order(const Columns& columns, int64_t rows) const;
    // Returns the rows that the query would. Nothing where the limit or offset of this run is none that is read here:
    // the engine runs the query then.
    std::optional<Value> pick(const Columns& columns, int64_t rows, const StepScope& scope) const;

private:
    struct Output {
        std::string column, name;
    };
    struct Key {
        std::string column;
        OrderItem item;
    };
    void noteColumn(const std::string& name);

    std::vector<Output> outputs_;
    std::vector<Key> keys_;
    std::vector<std::string> columns_;
    NodeRef limit_, offset_;
};

}  // namespace pelorus::postgres
