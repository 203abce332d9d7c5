// tableInsert, and the part of append! that is about tables.
#include "stdlib/table/append.h"

#include <fmt/format.h>

#include "common/error.h"
#include "runtime/kernel/cast.h"
#include "runtime/vector.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

static void tellDropped(Context& context, const Table& table, const AppendReport& report) {
    if (report.outsideScheme == 0 || !context.request->print) return;
    context.request->print(fmt::format("{} of {} rows were not stored in {}: no partition takes them; the first is {}.",
                                       report.outsideScheme, report.written + report.outsideScheme, table.name,
                                       report.firstOutside));
}

AppendReport appendToTable(Context& context, Value& target, const MemoryTable& rows) {
    if (PartitionedTable* partitioned = target.table().asPartitioned()) {
        const AppendReport report = partitioned->append(rows);
        tellDropped(context, *partitioned, report);
        return report;
    }
    auto* memory = dynamic_cast<MemoryTable*>(&target.table());
    if (memory == nullptr) throw UserError(0, "This table takes no rows.");
    if (memory->lock) {
        const std::lock_guard guard(*memory->lock);
        memory->append(rows);
    } else {
        // Appending a table to itself must not read what it writes.
        const Ref<MemoryTable> held = &rows == memory ? memory->copy() : Ref<MemoryTable>();
        target.makeUnique();
        static_cast<MemoryTable&>(target.table()).append(held ? *held : rows);
    }
    return {.written = rows.rowCount()};
}

namespace {

// The rows in the arguments after the first: a table, a tuple or list of columns, or one value per column.
Ref<MemoryTable> rowsFrom(Arguments arguments, const Table& target) {
    if (arguments.size() == 1 && arguments[0].isTable()) {
        if (auto* memory = dynamic_cast<MemoryTable*>(&arguments[0].table())) return Ref<MemoryTable>(memory);
        throw UserError(1, "The rows must be in memory.", "Select them first: select * from ...");
    }
    std::vector<Value> columns(arguments.begin(), arguments.end());
    if (arguments.size() == 1 && arguments[0].isTuple()) columns = arguments[0].tuple().items;
    if (static_cast<int>(columns.size()) != target.columnCount()) {
        throw UserError(1, fmt::format("The number of columns of the table to insert must be {}, but it is {}.",
                                       target.columnCount(), columns.size()));
    }
    std::vector<std::string> names;
    for (size_t c = 0; c < columns.size(); ++c) {
        const ColumnSchema& column = target.columns()[c];
        names.push_back(column.name);
        if (columns[c].isScalar()) {
            const Value item =
                columns[c].isVoid() ? Value::nullOf(column.type) : cast(columns[c], column.type, column.scale);
            columns[c] = Value::of(Vector::filled(column.type, 1, item));
        }
        if (columns[c].size() != columns[0].size()) throw UserError(1, "The columns to insert differ in length.");
    }
    return makeRef<MemoryTable>(std::move(names), std::move(columns));
}

Value tableInsertKernel(Context& context, Arguments arguments) {
    if (!arguments[0].isTable()) throw UserError(0, "The first argument must be a table.");
    if (arguments.size() < 2) throw UserError(1, "The rows to insert are missing.");
    const Ref<MemoryTable> rows = rowsFrom(arguments.subspan(1), arguments[0].table());
    const int64_t written = appendToTable(context, arguments[0], *rows).written;
    return written > INT32_MAX ? Value::ofLong(written) : Value::ofInt(static_cast<int32_t>(written));
}

Value appendKernel(Context& context, Arguments arguments) {
    if (!arguments[0].isTable()) throw UserError(0, "The first argument must be a table.");
    const Ref<MemoryTable> rows = rowsFrom(arguments.subspan(1), arguments[0].table());
    appendToTable(context, arguments[0], *rows);
    return arguments[0];
}

}  // namespace

void registerAppend(FunctionRegistry& registry) {
    registry.add("tableInsert(table, args...)", tableInsertKernel,
                 {.summary = "Appends rows to a table and returns how many were stored.",
                  .parameters = "args: a table, a tuple of columns, or one vector or scalar per column",
                  .errors = "Columns differ in number or type; nothing is stored then.",
                  .example = "t = table(1 2 as a); tableInsert(t, 3) -> 1"},
                 {.mutatesFirst = true});
    if (registry.find("append!") != nullptr) return;
    registry.add("append!(obj, newData)", appendKernel,
                 {.summary = "Appends rows to a table, by column position, and returns the table."});
}

}  // namespace pelorus
