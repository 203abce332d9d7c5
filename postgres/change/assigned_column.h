// AssignedColumn collects the values that a statement writes into one column, as assignment in PostgreSQL makes them.
#pragma once

#include <cstdint>
#include <string>

#include "postgres/change/target_table.h"
#include "runtime/value/value.h"
#include "runtime/value/vector.h"

namespace pelorus::postgres {

// The values of one column of one statement. Used by one thread; `table` and `column` outlive it.
class AssignedColumn {
public:
    AssignedColumn(const TargetTable& table, const TargetColumn& column);

    // Adds a value of the column's type as clients see it, in any type in which the engine keeps such values; VOID and
    // NULL are NULL. Throws SqlError: 22001 for a string that is too long, 22003 for a number that does not fit, 23502
    // for NULL in a column that must not have it.
    void add(const Value& value);
    // Adds all elements of a vector, or so many NULLs.
    void addAll(const Value& elements);
    void addNulls(int64_t count);

    // Add a value that is known to be of the column's kept type.
    void addInteger(int64_t value);
    void addReal(double value);
    void addText(std::string_view value);  // '' is NULL in a table of columns, but no missing value

    const TargetColumn& column() const { return column_; }
    int64_t size() const { return values_->size(); }
    // Returns the values in the column's type. The writer is empty afterwards.
    Value take();

private:
    void requireTime(int64_t nanos) const;
    void addNull();
    Value fitted(const Value& value) const;
    template <class T>
    void push(T value);

    const TargetTable& table_;
    const TargetColumn& column_;
    Ref<Vector> values_;  // texts of SYMBOL as STRING until the end
};

}  // namespace pelorus::postgres
