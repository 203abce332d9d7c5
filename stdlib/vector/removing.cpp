// Removal of elements and cells: remove!, subtuple, ungroup, oneHot.
#include <algorithm>

#include "runtime/kernel/forms/elementwise.h"
#include "runtime/kernel/index/assemble.h"
#include "runtime/kernel/index/index.h"
#include "runtime/kernel/index/row_index.h"
#include "runtime/table/column_advice.h"
#include "runtime/table/table.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/key_index.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

MemoryTable& tableArgument(Arguments a, size_t i, std::string_view name) {
    auto* table = asMemoryTable(a[i]);
    if (!table) refuseArgument(i, name, "a table in memory", a[i]);
    return *table;
}

// remove!(obj, index)
Value removeInPlace(Context&, Arguments a) {
    if (!a[0].isVector()) refuseArgument(0, "obj", "a vector or tuple", a[0]);
    Ref<Vector> index = cast(*vectorArgument(a, 1, "index"), Type::Long);
    std::vector<int64_t> kept;
    int64_t next = 0;
    for (int64_t i = 0, size = a[0].size(); i < size; ++i) {
        if (next < index->size() && index->data<int64_t>()[next] == i) {
            ++next;
        } else {
            kept.push_back(i);
        }
    }
    if (next < index->size()) throw UserError(1, "index must rise and lie inside obj.");
    a[0] = takeRows(a[0], *Vector::of(Type::Long, kept));
    return a[0];
}

// subtuple(X, range): the same slice of every element.
Value subtupleKernel(Context&, Arguments a) {
    if (!a[0].isTuple()) refuseArgument(0, "X", "a tuple of vectors", a[0]);
    if (!a[1].isPair()) refuseArgument(1, "range", "a pair start:end", a[1]);
    std::vector<Value> parts;
    for (const Value& element : a[0].tuple().elements) parts.push_back(indexRead(element, {&a[1], 1}));
    return Value::of(makeRef<Tuple>(std::move(parts)));
}

// ungroup(X): makes a row for each element of the columns that hold rows.
Value ungroupKernel(Context&, Arguments a) {
    MemoryTable& table = tableArgument(a, 0, "X");
    std::vector<int> nested;
    for (int c = 0; c < table.columnCount(); ++c) {
        if (isRowwise(table.column(c))) nested.push_back(c);
    }
    if (nested.empty() || table.rowCount() == 0) return a[0];
    std::vector<int32_t> rows;
    for (int64_t r = 0; r < table.rowCount(); ++r) {
        const int64_t elements = table.column(nested[0]).at(r).size();
        for (int c : nested) {
            if (table.column(c).at(r).size() != elements) {
                throw UserError(0, fmt::format("The cells of row {} differ in length.", r));
            }
        }
        rows.insert(rows.end(), static_cast<size_t>(elements), static_cast<int32_t>(r));
    }
    auto result = makeRef<MemoryTable>();
    for (int c = 0; c < table.columnCount(); ++c) {
        const Value& column = table.column(c);
        Value flat;
        if (column.isArrayVector()) {
            flat = Value::of(column.arrayVector().values());
        } else if (isRowwise(column)) {
            std::vector<Value> elements;
            for (const Value& cell : column.tuple().elements) {
                for (int64_t i = 0; i < cell.size(); ++i) elements.push_back(cell.at(i));
            }
            flat = listOf(std::move(elements));
        } else {
            flat = gatherElements(column, rows.data(), static_cast<int64_t>(rows.size()));
        }
        result->setColumn(table.columns()[static_cast<size_t>(c)].name, flat);
    }
    return Value::of(Ref<Table>(result));
}

// oneHot(obj, encodingColumns): a column of 0 and 1 for each value of these columns.
Value oneHotKernel(Context&, Arguments a) {
    MemoryTable& table = tableArgument(a, 0, "obj");
    const std::vector<std::string> names = namesArgument(a, 1, "encodingColumns");
    auto result = makeRef<MemoryTable>();
    for (const std::string& name : names) {
        const Value* column = table.column(name);
        if (!column) throw unknownColumn(name, table.columns(), 1);
        KeyIndex index(column->type());
        std::vector<int32_t> groups(static_cast<size_t>(column->size()));
        index.insertAll(column->vector(), groups.data());
        for (int64_t g = 0; g < index.size(); ++g) {
            Ref<Vector> marks = Vector::make(Type::Int, column->size());
            for (size_t i = 0; i < groups.size(); ++i) marks->mutableData<int32_t>()[i] = groups[i] == g;
            const Value key = index.key(g);
            const std::string string = key.type() == Type::Bool ? std::to_string(key.integer()) : toString(key);
            result->setColumn(name + "_" + string, Value::of(marks));
        }
    }
    for (int c = 0; c < table.columnCount(); ++c) {
        const std::string& name = table.columns()[static_cast<size_t>(c)].name;
        if (std::find(names.begin(), names.end(), name) == names.end()) result->setColumn(name, table.column(c));
    }
    return Value::of(Ref<Table>(result));
}

}  // namespace

void registerRemoving(FunctionRegistry& registry) {
    registry.add("remove!(obj, index)", removeInPlace,
                 {.summary = "Removes the elements at the rising positions from a vector, tuple or array vector.",
                  .errors = "index does not rise, or leaves obj.",
                  .example = "x = 5 6 7; remove!(x, 0 2) -> [6]"});
    registry.add("subtuple(X, range)", subtupleKernel,
                 {.summary = "The elements start:end of every element of a tuple, without the end.",
                  .example = "subtuple((1 2 3, 4 5 6), 0:2) -> ([1,2],[4,5])"});
    registry.add(
        "ungroup(X)", ungroupKernel,
        {.summary = "A table with a row for each element of its array vector or columnar tuple columns; the other "
                    "columns repeat.",
         .errors = "Two such columns have cells of different lengths in a row.",
         .example = "ungroup(table(1 2 as a, arrayVector(1 3, 7 8 9) as b)).a -> [1,2,2]"});
    registry.add(
        "oneHot(obj, encodingColumns)", oneHotKernel,
        {.summary = "A table with a column of 0 and 1 for each value of the encoding columns, then the others.",
         .errors = "A column does not exist.",
         .example = "columnNames(oneHot(table(`u`v as a, 1 2 as b), `a)) -> [\"a_u\",\"a_v\",\"b\"]"});
}

}  // namespace pelorus
