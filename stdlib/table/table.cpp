// table(…): memory tables from columns, matrices, dictionaries, or a schema.
#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "runtime/append/append_rows.h"
#include "runtime/kernel/elementwise/operators.h"
#include "runtime/kernel/index/assemble.h"
#include "runtime/table/table.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/cast.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/print.h"
#include "stdlib/register_builtins.h"
#include "stdlib/table/make_table.h"

namespace pelorus {

namespace {

// Returns whether there is a column of exactly this name: `a` and `A` are two columns.
bool hasColumn(const MemoryTable& table, std::string_view name) {
    return std::any_of(table.columns().begin(), table.columns().end(),
                       [&](const ColumnSchema& column) { return column.name == name; });
}

// table(capacity:size, names, types)
Value fromSchema(Arguments arguments) {
    const Value& names = arguments[1];
    const Value& types = arguments[2];
    if (!isLiteral(names.type()) || names.size() != types.size()) {
        throw UserError(1, fmt::format("colNames and colTypes must be equally many, but they are {} and {}.",
                                       names.size(), types.size()));
    }
    int64_t capacity = 0, size = 0;
    if (arguments[0].isPair()) {
        capacity = arguments[0].vector().asLong(0);
        size = arguments[0].vector().asLong(1);
    } else {
        capacity = arguments[0].asLong();
    }
    if (capacity < 0 || size < 0) throw UserError(0, "The capacity and size of a table must not be negative.");
    if (size > INT32_MAX) {
        throw UserError(0, "A table in memory has at most 2,147,483,647 rows. RefId: S05016",
                        "Keep more rows in a partitioned table.");
    }
    auto table = makeRef<MemoryTable>();
    for (int64_t i = 0; i < names.size(); ++i) {
        const TypeSpec spec = typeOfValue(types.at(i), 2, "colTypes");
        const Type type = spec.type;
        Value column;
        if (type == Type::Any || type == Type::IotAny || isArrayType(type)) {
            column = filledColumn(type, spec.scale, size);
        } else {
            Ref<Vector> elements = Vector::make(type, 0, std::min<int64_t>(std::max(capacity, size), 1 << 24));
            elements->resize(size);
            if (size > 0 && (isNumeric(type) || isTemporal(type) || isDecimal(type)))
                elements = Vector::filled(type, size, cast(Value::ofInt(0), type, spec.scale));
            elements->setScale(spec.scale);
            column = Value::of(elements);
        }
        if (hasColumn(*table, names.at(i).string())) refuseRepeatedColumn(names.at(i).string());
        table->setColumn(names.at(i).string(), column);
    }
    return Value::of(Ref<Table>(table));
}

bool isSchemaForm(Arguments arguments) {
    return arguments.size() == 3 && (arguments[0].isPair() || arguments[0].isNumber()) &&
           isLiteral(arguments[1].type()) && (arguments[1].isVector() || arguments[0].isPair());
}

bool isPlainTuple(const Value& v) {
    return v.isTuple() && v.tuple().kind == TupleKind::Plain;
}

bool sharesVectorType(const Tuple& tuple) {
    const auto isVector = [](const Value& element) { return element.isTypedVector(); };
    return std::any_of(tuple.elements.begin(), tuple.elements.end(), isVector) &&
           std::all_of(tuple.elements.begin(), tuple.elements.end(), [&](const Value& element) {
               return (element.isTypedVector() || element.isScalar()) && element.type() == tuple.elements[0].type();
           });
}

bool areColumns(const Tuple& tuple, int64_t rows) {
    return !tuple.elements.empty() &&
           std::all_of(tuple.elements.begin(), tuple.elements.end(),
                       [&](const Value& element) { return element.isTypedVector() && element.size() == rows; });
}

Value tableKernel(Context&, Arguments arguments) {
    if (arguments.empty()) throw UserError("table needs at least one column.");
    std::vector<bool> written;
    const std::vector<std::string> names = takeColumnNames(arguments, &written);
    return makeTable(arguments, names, written);
}

// One object under all its names, which sessions read and write concurrently, as a shared table.
Value streamTableKernel(Context& context, Arguments arguments) {
    Value table = tableKernel(context, arguments);
    auto& rows = static_cast<MemoryTable&>(table.table());
    makeStream(rows);
    return table;
}

}  // namespace

std::vector<std::string> takeColumnNames(Arguments& arguments, std::vector<bool>* written) {
    std::vector<std::string> names;
    Value aliased;
    const Value key = Value::ofString(" names");
    if (arguments.size() > 1 && arguments.back().isDictionary() && arguments.back().dictionary().contains(key)) {
        const Dictionary& given = arguments.back().dictionary();
        aliased = given.get(Value::ofString(" aliased"));
        const Value strings = given.get(key);
        for (int64_t i = 0; i < strings.size(); ++i) names.emplace_back(strings.at(i).string());
        arguments = arguments.first(arguments.size() - 1);
        for (size_t i = 0; written && i < names.size(); ++i) {
            written->push_back(aliased.at(static_cast<int64_t>(i)).integer() != 0);
        }
    }
    // A vector's name from rename! takes precedence over the variable's, but not over one that is written in the code.
    for (size_t i = 0; i < arguments.size(); ++i) {
        const Value& v = arguments[i];
        if (!v.isVector() || !v.isTypedVector() || v.vector().name().empty()) continue;
        if (i < names.size() && aliased.at(static_cast<int64_t>(i)).integer() != 0) continue;
        names.resize(std::max(names.size(), i + 1));
        names[i] = v.vector().name();
    }
    return names;
}

void refuseRepeatedColumn(std::string_view name) {
    throw UserError(fmt::format("A table cannot contain columns with duplicate name: {}. RefId: S05017", name));
}

Value makeTable(Arguments arguments, const std::vector<std::string>& names, const std::vector<bool>& written) {
    const auto isWritten = [&](size_t i) { return i < written.size() && written[i]; };
    if (!isWritten(0) && isSchemaForm(arguments)) return fromSchema(arguments);
    int64_t rows = 1;
    for (const Value& v : arguments) {
        const bool holdsColumns = v.isTuple() && arguments.size() == 1 && !isWritten(0);
        if (v.isVector()) rows = std::max(rows, holdsColumns ? 1 : v.size());
    }
    for (const Value& v : arguments) {
        if (v.isVector() && v.size() == 0) rows = 0;
    }
    auto table = makeRef<MemoryTable>();
    auto add = [&](std::string_view name, const Value& column) {
        if (hasColumn(*table, name)) refuseRepeatedColumn(name);
        table->setColumn(name, column);
    };
    for (size_t i = 0; i < arguments.size(); ++i) {
        const Value& v = arguments[i];
        std::string name = i < names.size() && !names[i].empty() ? names[i] : fmt::format("C{}", table->columnCount());
        if (v.isMatrix()) {
            for (int64_t c = 0; c < v.matrix().columns; ++c) {
                const Value& labels = v.matrix().columnLabels;
                add(labels.isVector() ? toString(labels.at(c)) : fmt::format("C{}", c),
                    Value::of(v.matrix().column(c)));
            }
        } else if (v.isTable()) {
            const Ref<MemoryTable> other = tableToRead(v);
            if (!other) throw UserError(static_cast<int>(i), "A partitioned table can't be a column.");
            if (arguments.size() == 1) return Value::of(Ref<Table>(other->copy()));
            for (int c = 0; c < other->columnCount(); ++c) {
                add(other->columns()[static_cast<size_t>(c)].name, other->column(c));
            }
        } else if (v.isDictionary()) {
            const Dictionary& d = v.dictionary();
            int64_t length = 1;
            for (int64_t k = 0; k < d.size(); ++k) {
                if (d.valueAt(k).isVector()) length = d.valueAt(k).size();
            }
            for (int64_t k = 0; k < d.size(); ++k) {
                Value column = d.valueAt(k);
                if (column.isScalar()) column = Value::of(Vector::filled(column.type(), length, column));
                add(toString(d.keyAt(k)), column);
            }
        } else if (v.isTuple() && arguments.size() == 1 && !isWritten(0)) {
            for (const Value& element : v.tuple().elements) {
                Value column = element.isScalar() ? listOf({element}) : element;
                add(fmt::format("C{}", table->columnCount()), column);
            }
        } else if (v.isScalar()) {
            if (v.isVoid()) throw UserError(static_cast<int>(i), "Not allowed to create void vector. RefId: S05005");
            bool boxed = storageOf(v.type()) == Storage::Boxed;
            add(name, boxed ? Value::of(makeRef<Tuple>(std::vector<Value>(static_cast<size_t>(rows), v)))
                            : Value::of(Vector::filled(v.type(), rows, v)));
        } else if (isPlainTuple(v) && areColumns(v.tuple(), rows)) {
            // Elements as long as the table are columns; only a columnar tuple keeps them as cells.
            for (const Value& column : v.tuple().elements) {
                add(fmt::format("col{}", table->columnCount()), column);
            }
        } else if (v.isVector()) {
            if (v.size() != rows) {
                throw UserError(static_cast<int>(i),
                                fmt::format("All columns must have the same length, but they have {} and {} rows.",
                                            rows, v.size()));
            }
            // Vectors of one type but different lengths become a columnar tuple.
            const bool cells = isPlainTuple(v) && sharesVectorType(v.tuple());
            add(name, cells ? Value::of(makeRef<Tuple>(v.tuple().elements, TupleKind::Columnar)) : v);
        } else {
            throw UserError(static_cast<int>(i), fmt::format("{} can't be a column of a table.", typeString(v)));
        }
    }
    return Value::of(Ref<Table>(table));
}

void registerTables(FunctionRegistry& registry) {
    registry.add(
        "table(X, X1...)", tableKernel,
        {.summary = "A table in memory: of vectors of equal length (names by `as`, or of the variables), of a "
                    "matrix, a dictionary or a tuple of columns, or empty as table(capacity:size, colNames, colTypes).",
         .parameters = "X: a column; or a matrix, a dictionary, a tuple of columns; or capacity:size of an empty "
                       "table, as 100:0\n"
                       "X1: more columns, as long; after capacity:size the names of the columns, and then their types",
         .errors = "Columns of different lengths.",
         .example = "table(1 2 as a, 3 4 as b).size() -> 2"},
        {.takes = {kAnything | Takes::Spelled}, .role = Role::TableFromColumns});
    registry.add(
        "streamTable(X, X1...)", streamTableKernel,
        {.summary = "A table in memory, made as by table, whose rows are added and never changed; several "
                    "sessions may write to it and read it.",
         .parameters = "X: a column; or a matrix, a dictionary, a tuple of columns; or capacity:size of an empty "
                       "table, as 100:0\n"
                       "X1: more columns, as long; after capacity:size the names of the columns, and then their types",
         .errors = "Columns of different lengths; later, changes of rows.",
         .example = "typestr(streamTable(1:0, `a`b, [INT, DOUBLE])) -> STREAMING TABLE"},
        {.takes = {kAnything | Takes::Spelled}, .role = Role::TableFromColumns});
}

}  // namespace pelorus
