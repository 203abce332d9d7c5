// Reshaping, cutting, concatenation and search of vectors.
#include <algorithm>
#include <limits>

#include "common/thread/cancellation.h"
#include "common/thread/stack_room.h"
#include "runtime/kernel/forms/elementwise.h"
#include "runtime/kernel/index/assemble.h"
#include "runtime/kernel/index/index.h"
#include "runtime/kernel/sort/sort.h"
#include "runtime/registry/parameter_lines.h"
#include "runtime/table/table.h"
#include "runtime/table/table_keys.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/key_index.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

Value gathered(const Value& x, const std::vector<int32_t>& positions) {
    return takeRows(x, *Vector::of(Type::Int, positions));
}

// Rows [begin, begin + count), where they exist.
Value sliceOf(const Value& x, int64_t begin, int64_t count) {
    int64_t size = x.isMatrix() ? x.matrix().rows : x.size();
    begin = std::clamp<int64_t>(begin, 0, size);
    count = std::clamp<int64_t>(count, 0, size - begin);
    if (x.isTypedVector()) return Value::of(x.vector().slice(begin, count));
    if (x.isTuple()) {
        const auto& elements = x.tuple().elements;
        return Value::of(
            makeRef<Tuple>(std::vector<Value>(elements.begin() + begin, elements.begin() + begin + count)));
    }
    std::vector<int32_t> positions;
    for (int64_t i = begin; i < begin + count; ++i) positions.push_back(static_cast<int32_t>(i));
    return gathered(x, positions);
}

// Columns [begin, begin + count) of a matrix, where they exist.
Value columnSlice(const Matrix& m, int64_t begin, int64_t count) {
    begin = std::clamp<int64_t>(begin, 0, m.columns);
    count = std::clamp<int64_t>(count, 0, m.columns - begin);
    auto result = makeRef<Matrix>(m.cells->slice(begin * m.rows, count * m.rows), m.rows, count);
    result->rowLabels = m.rowLabels;
    if (m.columnLabels.isVector()) result->columnLabels = sliceOf(m.columnLabels, begin, count);
    return Value::of(result);
}

Value headKernel(Context&, Arguments arguments) {
    if (!isGiven(arguments, 1)) return arguments[0].size() == 0 ? Value() : arguments[0].at(0);
    if (arguments[0].isMatrix()) return columnSlice(arguments[0].matrix(), 0, integerArgument(arguments, 1, "n"));
    return sliceOf(arguments[0], 0, std::max<int64_t>(0, integerArgument(arguments, 1, "n")));
}
Value tailKernel(Context&, Arguments arguments) {
    bool matrix = arguments[0].isMatrix();
    int64_t size = matrix ? arguments[0].matrix().columns : arguments[0].size();
    if (!isGiven(arguments, 1)) return size == 0 ? Value() : arguments[0].at(size - 1);
    int64_t n = std::clamp<int64_t>(integerArgument(arguments, 1, "n"), 0, size);
    if (matrix) return columnSlice(arguments[0].matrix(), size - n, n);
    return sliceOf(arguments[0], size - n, n);
}

// drop(X, n): X without its first n elements, or its last -n.
Value dropKernel(Context&, Arguments arguments) {
    int64_t size = arguments[0].size(), n = integerArgument(arguments, 1, "count");
    if (arguments[0].isMatrix()) size = arguments[0].matrix().columns;
    int64_t begin = std::clamp<int64_t>(n, 0, size), count = std::max<int64_t>(0, size - std::abs(n));
    return arguments[0].isMatrix() ? columnSlice(arguments[0].matrix(), begin, count)
                                   : sliceOf(arguments[0], begin, count);
}

// fill!(X, index, value): X[index] = value.
Value fillInPlace(Context&, Arguments arguments) {
    Value x = std::move(arguments[0]);
    x.makeUnique();
    arguments[0] = x;
    x = Value();
    indexWrite(arguments[0], {&arguments[1], 1}, arguments[2]);
    return arguments[0];
}

Value reverseKernel(Context&, Arguments arguments) {
    const Value& x = arguments[0];
    if (x.isPair()) return pairOf(x.at(1), x.at(0));
    if (x.isDictionary()) {
        const Dictionary& d = x.dictionary();
        auto result = makeRef<Dictionary>(d.keyType(), d.valueType(), d.ordered());
        for (int64_t i = d.size() - 1; i >= 0; --i) result->set(d.keyAt(i), d.valueAt(i));
        return Value::of(result);
    }
    if (x.isScalar()) return x;
    if (x.isMatrix()) {
        // All cells from the last one to the first.
        const Matrix& m = x.matrix();
        std::vector<int64_t> positions(static_cast<size_t>(m.cells->size()));
        for (size_t i = 0; i < positions.size(); ++i) positions[i] = static_cast<int64_t>(positions.size() - 1 - i);
        return Value::of(makeRef<Matrix>(m.cells->gather(positions.data(), m.cells->size()), m.rows, m.columns));
    }
    std::vector<int32_t> positions(static_cast<size_t>(x.size()));
    for (size_t i = 0; i < positions.size(); ++i) positions[i] = static_cast<int32_t>(positions.size() - 1 - i);
    return gathered(x, positions);
}
Value reverseInPlace(Context& context, Arguments arguments) {
    arguments[0] = reverseKernel(context, arguments);
    return arguments[0];
}

// Returns distinct elements in order of first appearance; rows of a tuple of vectors.
Value distinctKernel(Context&, Arguments arguments) {
    const Value& x = arguments[0];
    if (x.isTuple()) {
        KeyIndex index(Type::Any);
        for (const Value& element : x.tuple().elements) index.insert(element);
        return listOf(index.keys().tuple().elements);
    }
    Ref<Vector> v = vectorArgument(arguments, 0, "X");
    KeyIndex index(v->type());
    std::vector<int32_t> positions(static_cast<size_t>(v->size()));
    index.insertAll(*v, positions.data());
    return index.keys();
}

Value isDuplicatedKernel(Context&, Arguments arguments) {
    // The constants FIRST, LAST and NONE are 1, 2 and 3.
    std::string keep;
    if (arguments[1].isNumber()) {
        int64_t number = arguments[1].asLong();
        if (number < 1 || number > 3) refuseArgument(1, "keep", "FIRST, LAST or NONE", arguments[1]);
        keep = number == 1 ? "FIRST" : number == 2 ? "LAST" : "NONE";
    } else {
        keep = stringArgument(arguments, 1, "keep", "FIRST");
    }
    // The rows of an array vector, and of several vectors, are compared whole.
    const bool whole = arguments[0].isTuple() || arguments[0].isArrayVector();
    KeyIndex index(whole ? Type::Any : arguments[0].type());
    int64_t rows = arguments[0].size();
    if (arguments[0].isTuple() && rows > 0) {
        rows = arguments[0].at(0).size();
        for (const Value& column : arguments[0].tuple().elements) {
            if (!column.isScalar() && column.size() != rows) throw UserError(0, "The vectors of X differ in length.");
        }
    }
    std::vector<int32_t> group(static_cast<size_t>(rows));
    for (int64_t i = 0; i < rows; ++i) {
        checkCancelled();
        Value key = arguments[0].isTuple() ? Value() : arguments[0].at(i);
        if (arguments[0].isTuple()) {
            std::vector<Value> row;
            for (const Value& column : arguments[0].tuple().elements) row.push_back(column.at(i));
            key = Value::of(makeRef<Tuple>(std::move(row)));
        }
        group[static_cast<size_t>(i)] = static_cast<int32_t>(index.insert(key));
    }
    auto groups = static_cast<size_t>(index.size());
    std::vector<int64_t> first(groups, -1), last(groups, -1);
    for (int64_t i = 0; i < rows; ++i) {
        auto g = static_cast<size_t>(group[static_cast<size_t>(i)]);
        if (first[g] < 0) first[g] = i;
        last[g] = i;
    }
    Ref<Vector> out = Vector::make(Type::Bool, rows);
    for (int64_t i = 0; i < rows; ++i) {
        auto g = static_cast<size_t>(group[static_cast<size_t>(i)]);
        bool duplicated = keep == "LAST" ? last[g] != i : keep == "NONE" ? first[g] != last[g] : first[g] != i;
        out->mutableData<int8_t>()[i] = duplicated;
    }
    return Value::of(out);
}

// find(X, Y): the position of each Y in X, or -1.
Value findKernel(Context&, Arguments arguments) {
    if (arguments[0].isDictionary()) {
        const Dictionary& d = arguments[0].dictionary();
        if (arguments[1].isScalar()) return d.get(arguments[1]);
        std::vector<Value> found;
        inPieces(arguments[1].size(), [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) found.push_back(d.get(arguments[1].at(i)));
        });
        return listOf(std::move(found));
    }
    const Ref<MemoryTable> table = tableToRead(arguments[0]);
    if (table && table->keys()) {
        const std::vector<int32_t> rows = table->keys()->find(*table, table->keys()->columnsOf(arguments[1]));
        return isOneKey(arguments[1]) ? Value::ofInt(rows[0]) : Value::of(Vector::of(Type::Int, rows));
    }
    Value searched = table && table->columnCount() == 1 ? table->column(0) : arguments[0];
    Ref<Vector> x = vectorArgument({&searched, 1}, 0, "X");
    KeyIndex index(x->type());
    std::vector<int32_t> positions(static_cast<size_t>(x->size()));
    index.insertAll(*x, positions.data());
    std::vector<int32_t> firstRow(static_cast<size_t>(index.size()), -1);
    for (size_t i = 0; i < positions.size(); ++i) {
        int32_t& row = firstRow[static_cast<size_t>(positions[i])];
        if (row < 0) row = static_cast<int32_t>(i);
    }
    auto rowOf = [&](const Value& key) {
        int64_t position = index.find(key);
        return position < 0 ? -1 : firstRow[static_cast<size_t>(position)];
    };
    auto rowsOf = [&](const Value& keys) -> Value {
        if (keys.isScalar()) return Value::ofInt(rowOf(keys));
        const Value elements = keys.isMatrix() ? Value::of(keys.matrix().cells) : keys;
        Ref<Vector> out = Vector::make(Type::Int, elements.size());
        inPieces(out->size(), [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) out->mutableData<int32_t>()[i] = rowOf(elements.at(i));
        });
        return keys.isMatrix() ? Value::of(keys.matrix().withCells(out)) : Value::of(out);
    };
    const Value& y = arguments[1];
    const bool flat = y.isTuple() && std::all_of(y.tuple().elements.begin(), y.tuple().elements.end(),
                                                 [](const Value& element) { return element.isScalar(); });
    return flat ? rowsOf(y) : mapContainer(y, rowsOf, [](Type) { return true; });
}

// at(X): positions where X is true; at(X, i): X[i].
Value eachAtKernel(Context& context, Arguments arguments) {
    if (arguments[0].isFunction()) return arguments[0].function().call(context, arguments.subspan(1, 1));
    if (!arguments[1].isTuple()) return indexRead(arguments[0], {&arguments[1], 1});
    std::vector<Value> parts;
    for (const Value& index : arguments[1].tuple().elements) parts.push_back(indexRead(arguments[0], {&index, 1}));
    return Value::of(makeRef<Tuple>(std::move(parts)));
}

Value atKernel(Context& context, Arguments arguments) {
    if (isGiven(arguments, 1)) {
        if (arguments[0].isFunction()) {
            std::vector<Value> list =
                arguments[1].isTuple() ? arguments[1].tuple().elements : std::vector<Value>{arguments[1]};
            return arguments[0].function().call(context, list);
        }
        return indexRead(arguments[0], {&arguments[1], 1});
    }
    Ref<Vector> v = vectorArgument(arguments, 0, "X");
    if (!isNumeric(v->type())) refuseArgument(0, "X", "Boolean or integral when no index is given", arguments[0]);
    std::vector<int32_t> positions;
    for (int64_t i = 0; i < v->size(); ++i) {
        // true counts once; an integer says how often its position is given.
        int64_t times = v->isNullAt(i) ? 0 : isFloating(v->type()) ? v->asDouble(i) != 0 : v->asLong(i);
        if (times <= 0) continue;
        if (times > std::numeric_limits<int32_t>::max() - static_cast<int64_t>(positions.size())) {
            throw UserError(0, "The counts in X add up to more positions than a vector can hold.");
        }
        positions.insert(positions.end(), static_cast<size_t>(times), static_cast<int32_t>(i));
    }
    return Value::of(Vector::of(Type::Int, positions));
}

// cut(X, n): pieces of n elements; cut(X, positions): pieces that begin there.
Value cutKernel(Context&, Arguments arguments) {
    const Value& x = arguments[0];
    const int64_t size = x.isMatrix() ? x.matrix().columns : x.size();
    std::vector<int64_t> starts;
    if (arguments[1].isScalar()) {
        int64_t n = integerArgument(arguments, 1, "size");
        if (n < 1) refuseArgument(1, "size", "at least 1", arguments[1]);
        for (int64_t i = 0; i < size; i += n) starts.push_back(i);
    } else {
        Ref<Vector> given = vectorArgument(arguments, 1, "positions");
        for (int64_t i = 0; i < given->size(); ++i) {
            int64_t start = given->asLong(i);
            if (start < 0 || start > size || (!starts.empty() && start < starts.back())) {
                throw UserError(1, "The positions must rise and lie inside X.");
            }
            starts.push_back(start);
        }
    }
    std::vector<Value> pieces;
    for (size_t i = 0; i < starts.size(); ++i) {
        int64_t end = i + 1 < starts.size() ? starts[i + 1] : size;
        if (x.isScalar() || (x.isTypedVector() && arguments[1].isScalar() && arguments[1].integer() == 1)) {
            pieces.push_back(x.at(starts[i]));
        } else {
            pieces.push_back(x.isMatrix() ? columnSlice(x.matrix(), starts[i], end - starts[i])
                                          : sliceOf(x, starts[i], end - starts[i]));
        }
    }
    return Value::of(makeRef<Tuple>(std::move(pieces)));
}

// One level: tuples inside become vectors first, and then the whole when no tuple is left in it.
Value flattened(const Value& x) {
    requireStackRoom();
    if (x.isMatrix()) return Value::of(x.matrix().cells);
    if (x.isArrayVector()) return Value::of(x.arrayVector().values());
    if (!x.isTuple() || x.size() == 0) return x;
    const std::vector<Value>& elements = x.tuple().elements;
    const bool nested =
        std::any_of(elements.begin(), elements.end(), [](const Value& v) { return v.isTuple() || v.isMatrix(); });
    if (nested) {
        std::vector<Value> level;
        for (const Value& element : elements)
            level.push_back(element.isTuple() || element.isMatrix() ? flattened(element) : element);
        return Value::of(makeRef<Tuple>(std::move(level)));
    }
    const Type type = elements[0].type();
    const bool alike = std::all_of(elements.begin(), elements.end(), [&](const Value& v) {
        return (v.isTypedVector() || v.isScalar()) && v.type() == type && storageOf(type) != Storage::Boxed;
    });
    if (!alike) {
        std::vector<Value> parts;
        for (const Value& element : elements) {
            const Value flat = element.isVector() ? flattened(element) : element;
            for (int64_t i = 0; i < flat.size(); ++i) parts.push_back(flat.isVector() ? flat.at(i) : flat);
        }
        return listOf(std::move(parts));
    }
    Ref<Vector> joined = Vector::make(type, 0);
    for (const Value& element : elements) {
        if (element.isScalar()) {
            joined->append(element);
        } else {
            joined->append(element.vector(), 0, element.size());
        }
    }
    return Value::of(joined);
}

Value flattenKernel(Context&, Arguments arguments) {
    return flattened(arguments[0]);
}

Value subarrayKernel(Context&, Arguments arguments) {
    if (!arguments[1].isPair()) refuseArgument(1, "range", "a pair start:end", arguments[1]);
    Value view = indexRead(arguments[0], {&arguments[1], 1});
    if (view.isTypedVector()) {
        // The index x[0:n] may return X itself.
        if (!view.isUnique()) view = Value::of(view.vector().slice(0, view.size()));
        view.vector().setView();
    }
    return view;
}
Value sliceKernel(Context&, Arguments arguments) {
    return indexRead(arguments[0], arguments.subspan(1, isGiven(arguments, 2) ? 2 : 1));
}

// reshape(X, rows:columns): the cells column by column; reshape(X) unrolls.
Value reshapeKernel(Context&, Arguments arguments) {
    Ref<Vector> cells = vectorArgument(arguments, 0, "X");
    if (!isGiven(arguments, 1)) return Value::of(cells);
    return castTo(Value::of(cells), arguments[1]);
}

Value groupsKernel(Context&, Arguments arguments) {
    std::string mode = stringArgument(arguments, 1, "mode", "dict");
    if (mode != "dict" && mode != "vector" && mode != "tuple" && mode != "table") {
        refuseArgument(1, "mode", "dict, vector, tuple or table", arguments[1]);
    }
    Ref<Vector> v = vectorArgument(arguments, 0, "X");
    KeyIndex index(v->type());
    std::vector<int32_t> positions(static_cast<size_t>(v->size()));
    index.insertAll(*v, positions.data());
    std::vector<std::vector<int32_t>> rows(static_cast<size_t>(index.size()));
    for (size_t i = 0; i < positions.size(); ++i)
        rows[static_cast<size_t>(positions[i])].push_back(static_cast<int32_t>(i));
    // Groups in order of their keys.
    Value keys = index.keys();
    SortKey key{&keys.vector(), true};
    std::vector<int32_t> order = sortedOrder({&key, 1});
    std::vector<Value> values;
    for (int32_t g : order) values.push_back(Value::of(Vector::of(Type::Int, rows[static_cast<size_t>(g)])));
    if (mode == "tuple") return Value::of(makeRef<Tuple>(std::move(values)));
    if (mode != "dict") {
        const Value rows = cast(Value::of(makeRef<Tuple>(std::move(values))), arrayTypeOf(Type::Int));
        if (mode == "vector") return rows;
        auto table = makeRef<MemoryTable>();
        table->setColumn("key", takeRows(keys, *Vector::of(Type::Int, order)));
        table->setColumn("index", rows);
        return Value::of(Ref<Table>(table));
    }
    auto result = makeRef<Dictionary>(v->type(), Type::Any, true);
    for (size_t g = 0; g < values.size(); ++g) result->set(index.key(order[g]), values[g]);
    return Value::of(result);
}

// Numbers runs of equal elements by their first position.
Value segmentKernel(Context&, Arguments arguments) {
    Ref<Vector> v = vectorArgument(arguments, 0, "X");
    bool byPosition = flagArgument(arguments, 1, "segmentOffset", true);
    Ref<Vector> out = Vector::make(Type::Int, v->size());
    int32_t start = 0, number = 0;
    for (int64_t i = 0; i < v->size(); ++i) {
        if (i > 0 && !identical(v->at(i), v->at(i - 1))) {
            start = static_cast<int32_t>(i);
            ++number;
        }
        out->mutableData<int32_t>()[i] = byPosition ? start : number;
    }
    return Value::of(out);
}

Value copyKernel(Context&, Arguments arguments) {
    Value copy = arguments[0];
    copy.makeUnique();
    return copy;
}

// Copies a value and, recursively, the values in it.
Value deepCopy(const Value& x) {
    requireStackRoom();
    if (x.isTuple()) {
        std::vector<Value> elements;
        for (const Value& element : x.tuple().elements) elements.push_back(deepCopy(element));
        return Value::of(makeRef<Tuple>(std::move(elements), x.tuple().kindOfResults()));
    }
    Value copy = x;
    copy.makeUnique();
    if (copy.isDictionary() && copy.dictionary().valueType() == Type::Any) {
        Dictionary& d = copy.dictionary();
        for (int64_t i = 0; i < d.size(); ++i) d.set(d.keyAt(i), deepCopy(d.valueAt(i)));
    }
    return copy;
}

Value deepCopyKernel(Context&, Arguments arguments) {
    return deepCopy(arguments[0]);
}

}  // namespace

// The explanations of the parameters; "function.name" is of one function alone.
static constexpr std::string_view kParameterLines =
    "fill!.obj: a vector, matrix, tuple or dictionary that is changed\n"
    "fill!.index: positions from 0, a pair of them, or keys of a dictionary\n"
    "value: a scalar, or a value for each position\n"
    "slice.obj: a vector, matrix, table, tuple or dictionary\n"
    "slice.index: a position from 0, several, or a pair begin:end without the end; of a matrix those of rows, or of "
    "columns when colIndex is omitted\n"
    "colIndex: positions of columns of a matrix";

void registerReshaping(FunctionRegistry& registry) {
    auto add = [&](std::string_view syntax, Kernel kernel, std::string_view summary, std::string_view example,
                   bool ordered = false) {
        registry.add(syntax, kernel,
                     {.summary = summary, .parameters = parameterLines(syntax, kParameterLines), .example = example},
                     {.orderSensitive = ordered});
    };
    add("head(obj, [n])", headKernel, "The first element of obj, or the first n.", "head(1 2 3, 2) -> [1,2]");
    add("tail(obj, [n])", tailKernel, "The last element of obj, or the last n.", "tail(1 2 3, 2) -> [2,3]");
    add("drop(X, count)", dropKernel, "X without its first elements, or without its last ones when count is negative.",
        "drop(1 2 3, 1) -> [2,3]");
    add("fill!(obj, index, value)", fillInPlace, "Sets obj[index] to the value.",
        "x = 1 2 3; fill!(x, 2, 9); x -> [1,2,9]");
    add("reverse(X)", reverseKernel, "X from the end to the start; of a table, its rows.", "reverse(1 2 3) -> [3,2,1]",
        true);
    add("reverse!(X)", reverseInPlace, "As reverse, changing X.", "x = 1 2; reverse!(x); x -> [2,1]");
    add("distinct(X)", distinctKernel, "The distinct elements of X, in order of first appearance.",
        "distinct(3 1 3 NULL) -> [3,1,]");
    add("isDuplicated(X, [keep=FIRST])", isDuplicatedKernel,
        "Whether each element appeared before; `keep` says which of equal elements is not marked.",
        "isDuplicated(1 2 1) -> [false,false,true]");
    add("find(X, Y)", findKernel, "The position of each Y in X, or -1; of a dictionary, the value of the key Y.",
        "find(5 6 7, 7 1) -> [2,-1]");
    add("at(X, [index])", atKernel,
        "The positions where X is true, or X at the index; of a function, its result for the arguments.",
        "at(false true true) -> [1,2]");
    add("eachAt(X, index)", eachAtKernel,
        "As at, but a tuple holds several indices, each of X itself; of a function of one argument, its result. "
        "Written "
        "X @ index.",
        "eachAt(5 6 7, (0, 2)) -> (5,7)\neachAt(sum, 1 2 3) -> 6");
    add("cut(X, size)", cutKernel,
        "X in pieces of `size` elements, or in pieces that begin at the given positions, as a tuple.",
        "cut(1 2 3, 2) -> ([1,2],[3])");
    add("flatten(X)", flattenKernel, "A tuple or matrix as one vector.", "flatten((1 2, 3)) -> [1,2,3]");
    add("subarray(X, range)", subarrayKernel, "The elements of X in start:end, without the end.",
        "subarray(1 2 3 4, 1:3) -> [2,3]");
    add("slice(obj, index, [colIndex])", sliceKernel, "obj at an index: an element, rows, or columns of a matrix.",
        "slice(1 2 3, 1) -> 2");
    add("reshape(obj, [dim])", reshapeKernel,
        "The elements of obj as a matrix of dim = rows:columns, or unrolled to a vector.",
        "shape(reshape(1..6, 3:2)) -> 3 : 2");
    add("groups(X, [mode='dict'])", groupsKernel,
        "The positions of each distinct element of X, as a dictionary or tuple.", "groups(`a`b`a)[`a] -> [0,2]");
    add("segment(X, [segmentOffset=true])", segmentKernel,
        "For each element the position where its run of equal elements begins, or the number of the run.",
        "segment(5 5 7 5) -> [0,0,2,3]", true);
    add("deepCopy(obj)", deepCopyKernel, "A copy of obj, and of all values in it.",
        "deepCopy((1 2, `a)) -> ([1,2],\"a\")");
    add("copy(obj)", copyKernel, "A copy of obj that shares nothing with it.", "copy(1 2) -> [1,2]");
}

}  // namespace pelorus
