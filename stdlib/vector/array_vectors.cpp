// Construction and tests of array vectors and columnar tuples.
#include "common/check.h"
#include "runtime/value/array_vector.h"

#include <algorithm>

#include "common/thread/stack_room.h"
#include "runtime/kernel/aggregate/aggregate.h"
#include "runtime/kernel/block/promotion.h"
#include "runtime/kernel/forms/elementwise.h"
#include "runtime/serialize/received.h"
#include "runtime/table/table.h"
#include "runtime/value/dictionary.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

void checkItems(Type type, size_t argument, std::string_view name) {
    if (canBeInArrayVector(type)) return;
    throw UserError(
        static_cast<int>(argument),
        fmt::format("{} cannot be an array vector: its elements are {}. RefId: S02024", name, typeName(type)),
        "Array vectors hold numbers, BOOL, temporal values and decimals.");
}

// arrayVector(index, value): row i ends before position index[i].
Value arrayVectorKernel(Context&, Arguments arguments) {
    Ref<Vector> ends = cast(*vectorArgument(arguments, 0, "index"), Type::Long);
    Ref<Vector> values = vectorArgument(arguments, 1, "value");
    checkItems(values->type(), 1, "value");
    std::vector<int32_t> rows;
    int64_t last = 0;
    for (int64_t i = 0; i < ends->size(); ++i) {
        const int64_t end = ends->data<int64_t>()[i];
        if (end <= last || end > values->size()) {
            throw UserError(
                0, fmt::format("index must rise from 1 to at most the {} elements of value, but element {} is {}.",
                               values->size(), i, end));
        }
        rows.push_back(static_cast<int32_t>(end));
        last = end;
    }
    return Value::of(makeRef<ArrayVector>(values->slice(0, last), std::move(rows)));
}

// Returns the columns to concatenate, from left to right.
void addColumns(const Value& v, size_t argument, std::vector<Value>& columns) {
    requireStackRoom();
    if (v.isMatrix()) {
        for (int64_t c = 0; c < v.matrix().columns; ++c) columns.push_back(v.at(c));
    } else if (v.isTable()) {
        const Ref<MemoryTable> table = tableToRead(v);
        if (!table) refuseArgument(argument, "args", "in memory", v);
        for (int c = 0; c < table->columnCount(); ++c) columns.push_back(table->column(c));
    } else if (v.isTuple()) {
        for (const Value& element : v.tuple().elements) addColumns(element, argument, columns);
    } else if (v.isArrayVector()) {
        const ArrayVector& rows = v.arrayVector();
        const int64_t width = rows.size() == 0 ? 0 : rows.rowSize(0);
        for (int64_t r = 0; r < rows.size(); ++r) {
            if (rows.rowSize(r) != width) {
                throw UserError(static_cast<int>(argument),
                                "The rows of an array vector to glue must be equally long.");
            }
        }
        for (int64_t c = 0; c < width; ++c) columns.push_back(Value::of(rows.column(c)));
    } else if (v.isTypedVector()) {
        columns.push_back(v);
    } else {
        refuseArgument(argument, "args", "vectors, matrices, tables or tuples of them", v);
    }
}

Value fixedLengthKernel(Context&, Arguments arguments) {
    std::vector<Value> columns;
    for (size_t i = 0; i < arguments.size(); ++i) addColumns(arguments[i], i, columns);
    if (columns.empty()) throw UserError(0, "There are no columns to glue.");
    const int64_t height = columns[0].size(), width = static_cast<int64_t>(columns.size());
    Type type = Type::Void;
    for (const Value& column : columns) {
        type = commonType(type, column.type());
        if (column.size() != height) {
            throw UserError(fmt::format("The columns to glue differ in length: {} and {}.", height, column.size()));
        }
    }
    checkItems(type, 0, "args");
    Ref<Vector> side = Vector::make(type, 0, height * width);
    for (const Value& column : columns) side->append(*cast(column.vector(), type), 0, height);
    // Transposes cells from column-major to row-major order.
    std::vector<int64_t> positions;
    std::vector<int32_t> ends;
    for (int64_t r = 0; r < height; ++r) {
        for (int64_t c = 0; c < width; ++c) positions.push_back(c * height + r);
        ends.push_back(static_cast<int32_t>(positions.size()));
    }
    return Value::of(makeRef<ArrayVector>(side->gather(positions.data(), height * width), std::move(ends)));
}

// toArray: the elements of a group as one row.
class RowState final : public GroupedState {
public:
    // Rows of strings become those of a columnar tuple.
    explicit RowState(Type type) : type_(type) {
        if (!isLiteral(type)) checkItems(type, 0, "X");
    }

    void setScale(uint8_t scale) override { scale_ = scale; }
    void resize(int64_t groups) override { rows_.resize(static_cast<size_t>(groups)); }
    void add(std::span<const Value> arguments, const int32_t* groups, int64_t count) override {
        const Value& x = arguments[0];
        CHECK(x.isScalar() || x.size() >= count) << "the argument has a value for each row";
        Ref<Vector> elements = x.isScalar() ? Vector::filled(type_, count, x) : Ref<Vector>(&x.vector());
        if (!groups) return row(0).append(*elements, 0, count);
        for (int64_t i = 0; i < count; ++i) row(static_cast<size_t>(groups[i])).append(*elements, i, 1);
    }
    void merge(const GroupedState& other, const int32_t* groups, int64_t count) override {
        const auto& from = static_cast<const RowState&>(other).rows_;
        CHECK(from.size() >= count) << "each merged group has a row";
        for (int64_t i = 0; i < count; ++i) {
            const Ref<Vector>& elements = from[static_cast<size_t>(i)];
            if (elements) row(static_cast<size_t>(groups ? groups[i] : i)).append(*elements, 0, elements->size());
        }
    }
    void split(std::span<GroupedState* const> parts, const uint8_t* part, const int32_t* place,
               int64_t count) const override {
        CHECK(rows_.size() >= count) << "each group that moves to a partition has a row";
        for (int64_t i = 0; i < count; ++i)
            static_cast<RowState&>(*parts[part[i]]).rows_[static_cast<size_t>(place[i])] =
                rows_[static_cast<size_t>(i)];
    }
    int64_t memoryBytes() const override {
        auto bytes = static_cast<int64_t>(rows_.capacity() * sizeof(Ref<Vector>));
        for (const Ref<Vector>& row : rows_) bytes += row ? row->memoryBytes() + int64_t{sizeof(Vector)} : 0;
        return bytes;
    }
    Value results() const override {
        if (isLiteral(type_)) {
            std::vector<Value> rows;
            for (const Ref<Vector>& elements : rows_)
                rows.push_back(Value::of(elements ? elements : Vector::make(type_, 0)));
            return Value::of(makeRef<Tuple>(std::move(rows), TupleKind::Columnar));
        }
        auto result = makeRef<ArrayVector>(type_, scale_);
        for (const Ref<Vector>& elements : rows_) result->appendRow(elements ? *elements : *Vector::make(type_, 0));
        return Value::of(result);
    }
    Value save() const override { return results(); }
    void load(const Value& saved, int64_t groups) override {
        const char* part = "rows of groups";
        rows_.clear();
        if (isLiteral(type_)) {
            for (const Value& row : received::tuple(saved, static_cast<size_t>(groups), part)) {
                received::require(row.isTypedVector() && isLiteral(row.type()), part);
                rows_.push_back(row.vector().copy());
            }
            return;
        }
        received::require(saved.isArrayVector() && saved.size() == groups && saved.arrayVector().elementType() == type_,
                          part);
        for (int64_t i = 0; i < groups; ++i) rows_.push_back(saved.arrayVector().row(i)->copy());
    }

private:
    Vector& row(size_t group) {
        if (!rows_[group]) rows_[group] = Vector::make(type_, 0, 4);
        return *rows_[group];
    }

    Type type_;
    uint8_t scale_ = 0;
    std::vector<Ref<Vector>> rows_;
};

std::unique_ptr<GroupedState> makeRow(std::span<const Type> types) {
    return std::make_unique<RowState>(types[0]);
}

Value identityKernel(Context&, Arguments arguments) {
    return arguments[0];
}

Ref<Tuple> columnarFrom(const Value& x) {
    std::vector<Value> elements;
    for (int64_t i = 0; i < x.size(); ++i) elements.push_back(x.at(i));
    return makeRef<Tuple>(std::move(elements), TupleKind::Columnar);
}

// setColumnarTuple!(X, [on=true])
Value setColumnarKernel(Context&, Arguments arguments) {
    if (!arguments[0].isTuple()) refuseArgument(0, "X", "a tuple", arguments[0]);
    const bool on = flagArgument(arguments, 1, "on", true);
    Type type = Type::Void;
    for (const Value& element : arguments[0].tuple().elements) {
        const bool cell = element.isScalar() || element.isTypedVector();
        if (on && !cell) throw UserError(0, "The elements of a columnar tuple are scalars or vectors of one type.");
        type = commonType(type, element.type());
    }
    if (on && type == Type::Any) throw UserError(0, "The elements of a columnar tuple must share a type.");
    arguments[0].makeUnique();
    arguments[0].tuple().kind = on ? TupleKind::Columnar : TupleKind::Plain;
    return arguments[0];
}

Value isColumnarKernel(Context&, Arguments arguments) {
    return Value::ofBool(arguments[0].isTuple() && arguments[0].tuple().isColumnar());
}

Value toColumnarKernel(Context& context, Arguments arguments) {
    if (arguments[0].isArrayVector()) return Value::of(columnarFrom(arguments[0]));
    if (!arguments[0].isTuple()) return arguments[0];
    return setColumnarKernel(context, arguments);
}

// appendTuple!(X, Y, [wholistic=false]): the elements of Y one by one, or Y as one element.
Value appendTupleKernel(Context&, Arguments arguments) {
    if (!arguments[0].isTuple()) refuseArgument(0, "X", "a tuple", arguments[0]);
    if (!arguments[1].isTuple()) refuseArgument(1, "Y", "a tuple", arguments[1]);
    const bool whole = flagArgument(arguments, 2, "wholistic", false);
    const Value added = arguments[1];
    arguments[0].makeUnique();
    std::vector<Value>& elements = arguments[0].tuple().elements;
    if (whole) {
        elements.push_back(added);
    } else {
        const std::vector<Value> more = added.tuple().elements;
        elements.insert(elements.end(), more.begin(), more.end());
    }
    return arguments[0];
}

}  // namespace

void registerArrayVectors(FunctionRegistry& registry) {
    registry.add("arrayVector(index, value)", arrayVectorKernel,
                 {.summary = "An array vector of the elements of value: row i ends before position index[i].",
                  .errors = "index does not rise, or runs past value.",
                  .complexity = "O(1) in addition to the ends: the elements are shared",
                  .example = "arrayVector(2 3, 7 8 9) -> [[7,8],[9]]"});
    registry.add(
        "fixedLengthArrayVector(args...)", fixedLengthKernel,
        {.summary = "Vectors, matrices, tables and tuples of vectors concatenated horizontally: one row of the array "
                    "vector has an element of each column.",
         .parameters = "args: what gives the columns: vectors, matrices, tables or tuples of vectors, with "
                       "as many rows",
         .errors = "The columns differ in length or kind.",
         .example = "fixedLengthArrayVector(1 2, 5 6) -> [[1,5],[2,6]]"});
    Declaration aggregate;
    aggregate.kind = FunctionKind::Aggregate;
    aggregate.role = Role::ArrayCells;
    aggregate.state = makeRow;
    aggregate.gives = same(0);
    aggregate.orderSensitive = true;
    registry.add("toArray(X)", identityKernel,
                 {.summary = "In a query with group by, the elements of each group as a row of an array vector; X "
                             "elsewhere.",
                  .nulls = "Kept.",
                  .example = "toArray(5 6 7) -> [5,6,7]"},
                 aggregate);
    registry.add("setColumnarTuple!(X, [on=true])", setColumnarKernel,
                 {.summary = "Marks a tuple whose elements share a type as columnar: an index then looks inside each "
                             "element, and it may be a column of a table.",
                  .errors = "The elements differ in type.",
                  .example = "x = (1 2, 3 4 5); setColumnarTuple!(x); x[1] -> [2,4]"});
    registry.add("isColumnarTuple(X)", isColumnarKernel,
                 {.summary = "Whether X is a columnar tuple.", .example = "isColumnarTuple((1 2, 3)) -> false"},
                 {.gives = is(Type::Bool), .kind = FunctionKind::Aggregate});
    registry.add(
        "toColumnarTuple(X)", toColumnarKernel,
        {.summary = "A tuple as columnar tuple; in a query with group by, one element for each group.",
         .example = "isColumnarTuple(toColumnarTuple((1 2, 3))) -> true"},
        {.gives = same(0), .kind = FunctionKind::Aggregate, .role = Role::ColumnarTupleCells, .orderSensitive = true});
    registry.add(
        "toTuple(X)", identityKernel,
        {.summary = "In a query with group by, the elements of each group as an element of a tuple; X elsewhere.",
         .example = "toTuple(1 2) -> [1,2]"},
        {.gives = same(0), .kind = FunctionKind::Aggregate, .role = Role::TupleCells, .orderSensitive = true});
    registry.add("appendTuple!(X, Y, [wholistic=false])", appendTupleKernel,
                 {.summary = "Appends the elements of the tuple Y to the tuple X, or all of Y as one element.",
                  .parameters = "X: the tuple that is changed\n"
                                "Y: the tuple whose elements are appended\n"
                                "wholistic: true appends Y as one element, false each of its elements",
                  .errors = "X or Y is no tuple.",
                  .example = "x = (1, `a); appendTuple!(x, (2 3, `b)); x.size() -> 4"});
}

}  // namespace pelorus
