// ValueShape is what the source text says about a value: its form, and the names of its members.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/code/expression.h"

namespace pelorus {

// The shape of a value; Unknown unless the source text determines it.
struct ValueShape {
    enum class Form : uint8_t { Unknown, Table, Dictionary, Database, Instance, Function };
    Form form = Form::Unknown;
    std::vector<std::string> members;  // columns of a table, keys of a dictionary
    std::string className;             // class of an instance
    std::string database, table;       // "dfs://…" of a database or a table of one, and the table's name

    bool isTable() const { return form == Form::Table; }
};

// The callbacks by which inferShape finds what an expression does not say.
struct ShapeSources {
    std::function<const ValueShape*(std::string_view variable)> variable;  // null: not known
    std::function<bool(std::string_view name)> isClass;
    // Columns of a stored table; empty when not known.
    std::function<std::vector<std::string>(const std::string& database, const std::string& table)> columns;
};

// Returns the shape of an expression's value by its declarations: table literals, queries, loadTable, dictionaries,
// constructors. It never guesses: what it does not know is Unknown, and a table may lack members that it has.
ValueShape inferShape(const Node& expression, const ShapeSources& sources);

// Returns the columns of the tables that a query reads.
std::vector<std::string> columnsOfSources(const Node& query, const ShapeSources& sources);

}  // namespace pelorus
