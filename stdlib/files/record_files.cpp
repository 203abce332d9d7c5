// loadRecord: files of records that have a fixed length.
#include <fmt/format.h>

#include <cstring>

#include "common/error.h"
#include "runtime/function/file_access.h"
#include "runtime/kernel/elementwise/operators.h"
#include "runtime/table/table.h"
#include "stdlib/arguments.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

struct Field {
    std::string name;
    Type type;
    size_t bytes;
};

std::vector<Field> fieldsOf(const Value& schema) {
    if (!schema.isTuple()) refuseArgument(1, "schema", "a tuple of (name, type) and (name, type, length)", schema);
    std::vector<Field> fields;
    for (const Value& element : schema.tuple().elements) {
        if (!element.isTuple() || element.size() < 2 || !element.at(0).isString())
            refuseArgument(1, "A field of schema", "a tuple of a name, a type and, of strings, a length", element);
        Field field{std::string(element.at(0).string()), typeOfValue(element.at(1), 1, "The type of a field").type, 0};
        const bool isString = isLiteral(field.type);
        if (isString) {
            const Value length = element.size() > 2 ? element.at(2) : Value();
            if (!length.isNumber() || length.asLong() < 1 || length.asLong() > INT32_MAX)
                throw UserError(1, fmt::format("The length of the field {} is missing.", field.name),
                                "Texts in records have a fixed length, as in (\"code\", SYMBOL, 32).");
            field.bytes = static_cast<size_t>(length.asLong());
        } else if (storageOf(field.type) == Storage::Boxed || storageOf(field.type) == Storage::None) {
            throw UserError(1, fmt::format("The field {} can't have the type {}.", field.name, typeName(field.type)));
        } else {
            field.bytes = static_cast<size_t>(widthOf(field.type));
        }
        fields.push_back(std::move(field));
    }
    if (fields.empty()) throw UserError(1, "schema names no field.");
    return fields;
}

// loadRecord(filename, schema, [skipBytes=0], [count])
Value loadRecordKernel(Context& context, Arguments arguments) {
    const std::string path = stringArgument(arguments, 0, "filename");
    const std::vector<Field> fields = fieldsOf(arguments[1]);
    const int64_t skip = integerArgument(arguments, 2, "skipBytes", 0);
    const std::string bytes = readWholeFile(userFiles(context), path);
    if (skip < 0 || skip > static_cast<int64_t>(bytes.size()))
        throw UserError(2, fmt::format("skipBytes must be from 0 to the {} bytes of the file.", bytes.size()));
    size_t width = 0;
    for (const Field& field : fields) width += field.bytes;
    const int64_t held = (static_cast<int64_t>(bytes.size()) - skip) / static_cast<int64_t>(width);
    const int64_t count = integerArgument(arguments, 3, "count", held);
    if (count < 0) throw UserError(3, fmt::format("count must not be negative, but it is {}.", count));
    const int64_t rows = std::min(count, held);
    auto table = makeRef<MemoryTable>();
    const char* first = bytes.data() + skip;
    for (const Field& field : fields) {
        Ref<Vector> column = Vector::make(field.type, rows);
        for (int64_t i = 0; i < rows; ++i) {
            const char* at = first + static_cast<size_t>(i) * width;
            if (isLiteral(field.type)) {
                column->setString(i, std::string_view(at, strnlen(at, field.bytes)));
            } else {
                std::memcpy(static_cast<char*>(column->mutableRaw()) + static_cast<size_t>(i) * field.bytes, at,
                            field.bytes);
            }
        }
        column->setMayHaveNull(true);
        table->setColumn(field.name, Value::of(std::move(column)));
        first += field.bytes;
    }
    return Value::of(Ref<Table>(table));
}

}  // namespace

void registerRecordFiles(FunctionRegistry& registry) {
    registry.add(
        "loadRecord(filename, schema, [skipBytes=0], [count])", loadRecordKernel,
        {.summary = "A table of the records of a binary file whose fields have fixed lengths, one after the "
                    "other and little-endian.",
         .parameters = "schema: a tuple of (name, type), of strings (name, type, bytes); strings end at a zero byte\n"
                       "count: at most so many records; without it all that are whole",
         .errors = "The file can't be read; a field has no length or no such type.",
         .example = "loadRecord(\"/data/ticks.bin\", [(\"time\", TIME), (\"price\", DOUBLE), (\"sym\", STRING, 8)])"},
        kReads);
}

}  // namespace pelorus
