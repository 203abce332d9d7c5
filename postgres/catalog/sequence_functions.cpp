#include "postgres/catalog/sequence_functions.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "database/service/database_service.h"
#include "postgres/catalog/sequence_names.h"
#include "postgres/catalog/table_names.h"
#include "postgres/functions/conversions.h"
#include "postgres/functions/row_builtins.h"
#include "postgres/sql_error.h"
#include "runtime/registry/registry.h"
#include "runtime/value/vector.h"
#include "storage/catalog/sequences.h"

namespace pelorus::postgres {

namespace {

constexpr int64_t kRowsBetweenChecks = 1'024;

std::vector<std::string> pathOf(std::string_view text) {
    std::vector<std::string> path;
    for (;;) {
        const size_t end = text.find('\n');
        path.emplace_back(text.substr(0, end));
        if (end == std::string_view::npos) return path;
        text.remove_prefix(end + 1);
    }
}

Sequences& sequencesOf(Context& context) {
    auto* service = context.service<DatabaseService>();
    if (service == nullptr) throw UserError("Sequences need a data folder.");
    return service->sequences();
}

// What one row is given. The arguments are the row's column, the search path, the name, and those of setval.
using Number = Value (*)(Context& context, std::span<const Value> row, const std::vector<std::string>& path);

Value nextNumber(Context& context, std::span<const Value> row, const std::vector<std::string>& path) {
    const SequenceEntry sequence = findSequence(textArgument(row, 2), path, context);
    return Value::ofLong(
        sequencesOf(context).take(sequence.database, sequence.name, 1, context.request->sessionId).at(0));
}

Value currentNumber(Context& context, std::span<const Value> row, const std::vector<std::string>& path) {
    const SequenceEntry sequence = findSequence(textArgument(row, 2), path, context);
    return Value::ofLong(sequencesOf(context).current(sequence.database, sequence.name, context.request->sessionId));
}

Value lastNumber(Context& context, std::span<const Value>, const std::vector<std::string>&) {
    return Value::ofLong(sequencesOf(context).last(context.request->sessionId));
}

Value setNumber(Context& context, std::span<const Value> row, const std::vector<std::string>& path) {
    const SequenceEntry sequence = findSequence(textArgument(row, 2), path, context);
    const int64_t value = wholeArgument(row, 3);
    const bool isGiven = row.size() < 5 || isOmitted(row[4]) || wholeArgument(row, 4) != 0;
    sequencesOf(context).set(sequence.database, sequence.name, value, isGiven, context.request->sessionId);
    return Value::ofLong(value);
}

Value numberOf(Number number, Context& context, std::span<const Value> row, const std::vector<std::string>& path) {
    for (size_t i = 2; i < row.size(); ++i)
        if (!isOmitted(row[i]) && row[i].isNull()) return Value::nullOf(Type::Long);
    try {
        return number(context, row, path);
    } catch (const SqlError& error) {
        throw UserError(withState(error));
    }
}

template <Number kNumber>
Value sequenceKernel(Context& context, Arguments arguments) {
    const std::vector<std::string> path = pathOf(textArgument(arguments, 1));
    int64_t rows = -1;
    for (const Value& argument : arguments) {
        if (argument.isScalar()) continue;
        if (!argument.isTypedVector() || (rows >= 0 && argument.size() != rows))
            throw UserError("A sequence takes scalars and vectors of one length.");
        rows = argument.size();
    }
    if (rows < 0) return numberOf(kNumber, context, arguments, path);
    Ref<Vector> numbers = Vector::make(Type::Long, rows);
    std::vector<Value> row(arguments.begin(), arguments.end());
    for (int64_t i = 0; i < rows; ++i) {
        if (i % kRowsBetweenChecks == 0) context.checkCancelled();
        for (size_t k = 0; k < row.size(); ++k)
            if (!arguments[k].isScalar()) row[k] = arguments[k].at(i);
        numbers->set(i, numberOf(kNumber, context, row, path));
    }
    return Value::of(numbers);
}

// Returns the sequence that goes with a column of a table, as nextval takes it; NULL for none.
Value serialSequence(const Value& tableName, const Value& columnName, const SessionFacts& session, Context& context) {
    if (tableName.isNull() || columnName.isNull()) return Value::nullOf(Type::String);
    const std::vector<std::string> names = namesInText(textOfValue(tableName));
    const FoundTable table =
        findTable(names.size() > 1 ? names[names.size() - 2] : "", names.back(), session, context, -1);
    const std::string_view column = textOfValue(columnName);
    for (size_t c = 0; c < table.columns.size(); ++c) {
        if (table.columns[c].name != column) continue;
        if (!table.entry) return Value::nullOf(Type::String);
        for (const SequenceEntry& sequence : sequencesOf(context).all(table.database))
            if (sequence.ownerTable == table.entry->id && sequence.ownerColumn == table.entry->storedNameOf(c))
                return textValue(sequenceText(sequence));
        return Value::nullOf(Type::String);
    }
    throw SqlError(sql_state::kUndefinedColumn,
                   fmt::format("column \"{}\" of relation \"{}\" does not exist", column, table.name));
}

// Columns of names have those of rows that do not count: what is not there is NULL then.
Value serialSequenceKernel(Context& context, Arguments arguments) {
    SessionFacts session;
    session.searchPath.clear();
    std::string_view path = textArgument(arguments, 2);
    while (!path.empty()) {
        const size_t comma = std::min(path.find(','), path.size());
        session.searchPath.emplace_back(path.substr(0, comma));
        path.remove_prefix(std::min(comma + 1, path.size()));
    }
    const Value &tables = arguments[0], &columns = arguments[1];
    const bool isOne = tables.isScalar() && columns.isScalar();
    const int64_t rows = isOne ? 1 : tables.isScalar() ? columns.size() : tables.size();
    if (!columns.isScalar() && columns.size() != rows) throw UserError("Two columns of one length are needed here.");
    Ref<Vector> out = Vector::make(Type::String, 0, rows);
    for (int64_t i = 0; i < rows; ++i) {
        context.checkCancelled();
        try {
            out->append(serialSequence(tables.isScalar() ? tables : tables.at(i),
                                       columns.isScalar() ? columns : columns.at(i), session, context));
        } catch (const SqlError& error) {
            if (isOne) throw UserError(withState(error));
            out->append(Value::nullOf(Type::String));
        }
    }
    return isOne ? Value::of(out).at(0) : Value::of(out);
}

void add(FunctionRegistry& registry, const char* syntax, Kernel kernel, const char* summary) {
    Declaration declaration;
    declaration.kind = FunctionKind::Elementwise;
    declaration.effect = Effect::Volatile;
    declaration.facet = Facet::Node;
    declaration.gives = is(Type::Long);
    registry.add(syntax, kernel, {.summary = summary}, declaration);
}

}  // namespace

void registerSequenceFunctions(FunctionRegistry& registry) {
    add(registry, "pgNextval(rows, path, sequence)", sequenceKernel<nextNumber>,
        "The next number of a sequence, another one for each row.");
    add(registry, "pgCurrval(rows, path, sequence)", sequenceKernel<currentNumber>,
        "The number of a sequence that the session was given last.");
    add(registry, "pgLastval(rows, path)", sequenceKernel<lastNumber>, "The number that the session was given last.");
    add(registry, "pgSetval(rows, path, sequence, value, [isGiven])", sequenceKernel<setNumber>,
        "value, which is the last number of the sequence from now on, or the next one where isGiven is false.");
    Declaration serial;
    serial.kind = FunctionKind::Elementwise;
    serial.effect = Effect::Stable;
    serial.facet = Facet::Node;
    serial.gives = is(Type::String);
    registry.add("pgSerialSequence(table, column, path)", serialSequenceKernel,
                 {.summary = "The sequence that goes with a column; NULL for none."}, serial);
}

}  // namespace pelorus::postgres
