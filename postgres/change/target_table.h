// The table that a statement writes to.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "postgres/catalog/table_names.h"
#include "postgres/session_facts.h"
#include "postgres/types/declared_type.h"
#include "runtime/function/context.h"
#include "runtime/table/table.h"

namespace pelorus {
struct TableEntry;
}

namespace pelorus::postgres {

// A column that values are written to.
struct TargetColumn {
    ColumnSchema schema;
    DeclaredType declared;
    std::string whenMissing = {};  // the expression of its default; empty: it has none
    enum class Identity : uint8_t { None, Always, ByDefault };
    Identity identity = Identity::None;
};

// A table as it was when the statement was bound. Immutable.
struct TargetTable {
    std::string schema, name;
    std::string database;  // empty for a table in memory that sessions share
    std::vector<TargetColumn> columns;
    std::function<Value(Context& context)> open;
    bool isRowTable = false;                            // else a table of columns, or in memory
    std::shared_ptr<const TableEntry> entry = nullptr;  // of a stored table

    // Throws StaleStatement when the definition of a stored table has changed since.
    void requireUnchanged(Context& context) const;

    // Returns the column of this name, whatever the case of its letters where only one fits. Throws SqlError 42703.
    const TargetColumn& column(std::string_view column, int place) const;
};

// Throws SqlError where the name is one of the system catalog (42809), or of a view (0A000).
void requireTable(const TableName& name, const SessionFacts& session, Context& context, int place);

// Returns the table that a name has found.
std::shared_ptr<const TargetTable> targetOf(FoundTable found);

// Finds the table. Throws SqlError 42P01 for none, 42809 for one of the system catalog.
std::shared_ptr<const TargetTable> findTarget(const std::string& schema, const std::string& name,
                                              const SessionFacts& session, Context& context, int place);

}  // namespace pelorus::postgres
