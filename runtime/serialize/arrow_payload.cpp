#include "runtime/serialize/arrow_payload.h"

#include <numeric>

#include "common/error.h"
#include "runtime/arrow/arrow_reader.h"
#include "runtime/arrow/arrow_writer.h"
#include "runtime/table/table.h"
#include "runtime/value/cast.h"
#include "runtime/value/vector.h"

namespace pelorus {

namespace {

// The bytes of a request, which wait for the client and are charged to the request's budget.
class BudgetedInput final : public arrow::ArrowInput {
public:
    BudgetedInput(ByteSource& source, DecodeBudget& budget) : source_(source), budget_(budget) {}

    size_t readSome(char* target, size_t most) override {
        source_.read(target, most);
        budget_.received(static_cast<int64_t>(most));
        return most;
    }
    void reserve(int64_t bytes) override { budget_.charge(bytes); }

private:
    ByteSource& source_;
    DecodeBudget& budget_;
};

// Returns the number in a field's metadata, or -1.
int numberIn(const arrow::ArrowField& field, std::string_view wanted) {
    for (const auto& [key, value] : field.metadata) {
        const bool isNumber =
            !value.empty() && value.size() < 4 && value.find_first_not_of("0123456789") == std::string::npos;
        if (key == wanted && isNumber) return std::stoi(value);
    }
    return -1;
}

// Converts a column to the type that the client's set_dtypes_for_arrow named in the metadata of its field.
Value asNamed(const Value& column, const arrow::ArrowField& field) {
    const int id = numberIn(field, "ddbType"), scale = numberIn(field, "ddbExtra");
    if (id < 0) return column;
    TypeSpec type;
    bool hasScale = false;
    if (!typeByConstant(id, type, &hasScale)) throw UserError("The column " + field.name + " names no type.");
    const bool isDecimalType = isDecimal(elementTypeOf(type.type));
    if (isDecimalType && scale > maxScale(type.type))
        throw UserError("The column " + field.name + " names a scale that its type cannot have.");
    if (columnType(column) == type.type && !isDecimalType) return column;
    return cast(column, type.type, isDecimalType && scale >= 0 ? static_cast<uint8_t>(scale) : kSourceScale);
}

}  // namespace

bool encodeArrowTable(const Value& value, GatheredBytes& bytes) {
    const Ref<MemoryTable> rows = tableToRead(value);
    if (!rows) return false;
    try {
        for (const ColumnSchema& column : rows->columns()) arrow::fieldOf(column, 0, arrow::SymbolForm::Dictionary);
    } catch (const UserError&) {
        return false;
    }
    GatheredBytes stream;
    stream.append(std::string{'\0', static_cast<char>(kArrowTableForm)});
    arrow::ArrowWriter::Options options;
    options.metadata.emplace_back("ddbTotalRows", std::to_string(rows->rowCount()));
    arrow::ArrowWriter writer(rows->columns(), std::move(options),
                              [&](GatheredBytes&& message) { stream.take(std::move(message)); });
    writer.write(*rows);
    writer.finish();
    bytes.take(std::move(stream));
    return true;
}

Value decodeArrowTable(ByteSource& source, DecodeBudget& budget) {
    try {
        BudgetedInput input(source, budget);
        arrow::ArrowReader reader(input);
        std::vector<int> columns(reader.columns().size());
        std::iota(columns.begin(), columns.end(), 0);
        const Ref<MemoryTable> rows = reader.readAll(columns);
        for (size_t c = 0; c < columns.size(); ++c) {
            Value& column = rows->mutableColumns()[c];
            column = asNamed(column, reader.schema().fields[c]);
        }
        std::vector<std::string> names;
        for (const ColumnSchema& column : rows->columns()) names.push_back(column.name);
        return Value::of(Ref<Table>(makeRef<MemoryTable>(std::move(names), std::move(rows->mutableColumns()))));
    } catch (const arrow::DamagedArrow& damage) {
        throw UserError(damage.what());
    }
}

}  // namespace pelorus
