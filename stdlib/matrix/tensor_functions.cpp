// tensor(X): vectors, matrices, tables and tuples of them as one block of cells.
#include "runtime/value/tensor.h"

#include <algorithm>

#include "common/error.h"
#include "runtime/table/table.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

constexpr size_t kMaxDimensions = 10;

bool isCellType(Type type) {
    return type == Type::Bool || isFloating(type) || (isIntegral(type) && type != Type::Compress);
}

void requireCellType(Type type) {
    if (!isCellType(type)) {
        throw UserError(0, "A tensor holds BOOL, integers or floats, but X holds " + std::string(typeName(type)) + ".");
    }
}

// Makes a matrix of columns: element r of each is in row r.
Ref<Tensor> ofColumns(const std::vector<Value>& columns) {
    const Type type = columns[0].type();
    const int64_t rows = columns[0].size();
    requireCellType(type);
    for (const Value& column : columns) {
        if (!column.isTypedVector() || column.type() != type || column.size() != rows)
            throw UserError(0, "The columns of a tensor must have one type and one length.");
    }
    Ref<Vector> cells = Vector::make(type, 0, rows * static_cast<int64_t>(columns.size()));
    for (int64_t r = 0; r < rows; ++r) {
        for (const Value& column : columns) cells->append(column.vector(), r, 1);
    }
    return makeRef<Tensor>(cells, std::vector<int64_t>{rows, static_cast<int64_t>(columns.size())});
}

Ref<Tensor> stacked(const std::vector<Ref<Tensor>>& parts) {
    std::vector<int64_t> shape = parts[0]->shape;
    Ref<Vector> cells = Vector::make(parts[0]->cells->type(), 0);
    for (const Ref<Tensor>& part : parts) {
        if (part->shape != shape || part->cells->type() != cells->type())
            throw UserError(0, "The parts of a tensor must have one type and one shape.");
        cells->append(*part->cells, 0, part->cells->size());
    }
    shape.insert(shape.begin(), static_cast<int64_t>(parts.size()));
    if (shape.size() > kMaxDimensions) throw UserError(0, "A tensor has at most 10 dimensions.");
    return makeRef<Tensor>(cells, shape);
}

// `depth` bounds the recursion before the shape is known.
Ref<Tensor> tensorOf(const Value& x, size_t depth) {
    if (depth > kMaxDimensions) throw UserError(0, "A tensor has at most 10 dimensions.");
    if (x.isScalar() || x.isTypedVector()) {
        requireCellType(x.type());
        Ref<Vector> cells = x.isScalar() ? Vector::filled(x.type(), 1, x) : Ref<Vector>(&x.vector());
        return makeRef<Tensor>(cells, std::vector<int64_t>{cells->size()});
    }
    std::vector<Value> columns;
    if (x.isMatrix()) {
        for (int64_t c = 0; c < x.matrix().columns; ++c) columns.push_back(Value::of(x.matrix().column(c)));
    } else if (x.isTable()) {
        const Ref<MemoryTable> table = tableToRead(x);
        if (table == nullptr) throw UserError(0, "X can't be a partitioned table.", "Select its rows first.");
        for (int c = 0; c < table->columnCount(); ++c) columns.push_back(table->column(c));
    } else if (x.isTuple()) {
        columns = x.tuple().elements;
    } else {
        refuseArgument(0, "X", "a scalar, vector, matrix, table or tuple", x);
    }
    if (columns.empty()) throw UserError(0, "A tensor can't be made of nothing.");
    const bool vectors = std::all_of(columns.begin(), columns.end(), [](const Value& v) { return v.isTypedVector(); });
    if (vectors && !(x.isTuple() && x.tuple().isColumnar())) return ofColumns(columns);
    std::vector<Ref<Tensor>> parts;
    for (const Value& column : columns) parts.push_back(tensorOf(column, depth + 1));
    return stacked(parts);
}

Value tensorKernel(Context&, Arguments a) {
    return Value::ofSystem(Type::Resource, tensorOf(a[0], 1));
}

}  // namespace

void registerTensors(FunctionRegistry& registry) {
    registry.add(
        "tensor(X)", tensorKernel,
        {.summary = "X as a tensor: one dimension of a scalar or vector; two of a matrix, a table, a tuple of "
                    "vectors (its columns) or a columnar tuple (its rows); one more than its elements of a tuple "
                    "of matrices or tuples.",
         .errors = "The type is no number, the parts differ in type or shape, or there are more than 10 "
                   "dimensions.",
         .example = "form(tensor(1 2 3)) -> 10"});
}

}  // namespace pelorus
