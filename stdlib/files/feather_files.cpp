// feather::load, feather::save, feather::extractSchema: tables from and to files of Arrow's IPC format.
#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "runtime/arrow/arrow_reader.h"
#include "runtime/arrow/arrow_writer.h"
#include "runtime/arrow/packed_buffer.h"
#include "runtime/function/file_access.h"
#include "runtime/function/principal.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

constexpr int kMaxZstdLevel = 19;

std::string pathIn(const Value& path, int argument) {
    if (!path.isString() || path.string().empty()) throw UserError(argument, "filePath must be the name of a file.");
    return std::string(path.string());
}

std::unique_ptr<File> openFile(const Context& context, const Value& path) {
    UserFiles& files = userFiles(context);
    return files.openForRead(files.resolve(pathIn(path, 0)));
}

Value loadKernel(Context& context, Arguments arguments) {
    std::vector<std::string> names;
    for (int64_t i = 0; !arguments[1].isVoid() && i < arguments[1].size(); ++i) {
        const Value name = arguments[1].at(i);
        if (!name.isString()) throw UserError(1, "columns must have names of columns.");
        names.emplace_back(name.string());
    }
    const std::unique_ptr<File> file = openFile(context, arguments[0]);
    return Value::of(Ref<Table>(arrow::readArrowFile(*file, names)));
}

// Returns a type as Arrow's documents write it, as far as they do.
std::string arrowName(const arrow::ArrowField& field) {
    using arrow::ArrowType;
    constexpr std::string_view kUnits[] = {"s", "ms", "us", "ns"};
    const std::string_view unit = kUnits[static_cast<size_t>(field.unit)];
    if (field.dictionary) return "dictionary";
    switch (field.type) {
        case ArrowType::Null:
            return "null";
        case ArrowType::Int:
            return fmt::format("{}int{}", field.isSigned ? "" : "u", field.bitWidth);
        case ArrowType::Float:
            return field.bitWidth == 64 ? "double" : field.bitWidth == 32 ? "float" : "halffloat";
        case ArrowType::Binary:
            return "binary";
        case ArrowType::LargeBinary:
            return "large_binary";
        case ArrowType::Utf8:
            return "string";
        case ArrowType::LargeUtf8:
            return "large_string";
        case ArrowType::Bool:
            return "bool";
        case ArrowType::Decimal:
            return fmt::format("decimal{}({}, {})", field.bitWidth, field.precision, field.scale);
        case ArrowType::Date:
            return field.bitWidth == 32 ? "date32[day]" : "date64[ms]";
        case ArrowType::Time:
            return fmt::format("time{}[{}]", field.bitWidth, unit);
        case ArrowType::Timestamp:
            return fmt::format("timestamp[{}{}{}]", unit, field.zone.empty() ? "" : ", tz=", field.zone);
        case ArrowType::FixedBinary:
            return fmt::format("fixed_size_binary[{}]", field.fixedSize);
        case ArrowType::List:
        case ArrowType::LargeList:
        case ArrowType::FixedList:
            return field.children.size() == 1 ? fmt::format("list<{}>", arrowName(field.children[0])) : "list";
        case ArrowType::Struct:
            return "struct";
        case ArrowType::Map:
            return "map";
        default:
            return fmt::format("type {}", static_cast<int>(field.type));
    }
}

Value extractSchemaKernel(Context& context, Arguments arguments) {
    const std::unique_ptr<File> file = openFile(context, arguments[0]);
    arrow::ArrowSchema schema;
    const TableSchema columns = arrow::arrowFileColumns(*file, schema);
    std::vector<std::string> names, types, ours;
    for (size_t c = 0; c < columns.size(); ++c) {
        std::string obstacle;
        arrow::typeOf(schema.fields[c], obstacle);
        names.push_back(columns[c].name);
        types.push_back(arrowName(schema.fields[c]));
        ours.push_back(obstacle.empty() ? typeString(columns[c].type, columns[c].scale) : "VOID");
    }
    return Value::of(Ref<Table>(makeRef<MemoryTable>(
        std::vector<std::string>{"name", "type", "DolphinDBType"},
        std::vector<Value>{Value::of(Vector::ofStrings(names)), Value::of(Vector::ofStrings(types)),
                           Value::of(Vector::ofStrings(ours))})));
}

arrow::ArrowWriter::Options optionsFrom(const Value& method, const Value& level) {
    arrow::ArrowWriter::Options options;
    options.form = arrow::ArrowForm::File;
    options.codec = arrow::kLz4Frame;
    if (!method.isVoid()) {
        std::string name = method.isString() ? std::string(method.string()) : "?";
        std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
        if (name != "uncompressed" && name != "lz4" && name != "zstd")
            throw UserError(2, "compressMethod must be uncompressed, lz4 or zstd.");
        options.codec = name == "zstd" ? arrow::kZstd : name == "lz4" ? arrow::kLz4Frame : -1;
    }
    if (!level.isVoid()) {
        if (!level.isNumber() || level.isNull() || level.asLong() < 1 || level.asLong() > kMaxZstdLevel)
            throw UserError(3, fmt::format("compressionLevel must be a number from 1 to {}.", kMaxZstdLevel));
        options.level = static_cast<int>(level.asLong());
    }
    return options;
}

Value saveKernel(Context& context, Arguments arguments) {
    const Ref<MemoryTable> rows = tableToRead(arguments[0]);
    if (!rows) throw UserError(0, "table must be a table in memory.");
    const arrow::ArrowWriter::Options options = optionsFrom(arguments[2], arguments[3]);
    UserFiles& files = userFiles(context);
    const std::string path = files.resolve(pathIn(arguments[1], 1)), unfinished = path + ".unfinished";
    for (const ColumnSchema& column : rows->columns()) arrow::fieldOf(column, 0, arrow::SymbolForm::Dictionary);
    // The file is written under another name first, so that readers see the old file or the new one.
    const std::unique_ptr<File> file = files.create(unfinished);
    try {
        arrow::ArrowWriter writer(rows->columns(), options, [&](GatheredBytes&& bytes) {
            for (const std::string_view piece : bytes.pieces()) file->append(piece);
        });
        writer.write(*rows);
        writer.finish();
        file->sync();
        files.rename(unfinished, path);
    } catch (...) {
        files.remove(unfinished);
        throw;
    }
    return {};
}

}  // namespace

void registerFeatherFiles(FunctionRegistry& registry) {
    registry.add(
        "feather::load(filePath, [columns])", loadKernel,
        {.summary = "Reads a Feather file, which is one of Arrow's IPC format, into a table in memory.",
         .parameters = "filePath: a path\ncolumns: names of the columns that are read; all when omitted",
         .nulls = "Missing values are NULL, and so are NaN and the empty list; times of a time zone are UTC.",
         .errors = "The file is absent, damaged or of version 1; a column has structs, maps or lists of strings.",
         .complexity = "O(bytes of the file)",
         .example = "quotes = feather::load(\"/data/quotes.feather\", `sym`bid)"},
        kReads);
    registry.add("feather::extractSchema(filePath)", extractSchemaKernel,
                 {.summary = "Names and types of the columns of a Feather file, as a table of name, type (Arrow's) and "
                             "DolphinDBType (VOID where no column of a table can hold it).",
                  .parameters = "filePath: a path",
                  .errors = "The file is absent or no Arrow file.",
                  .example = "feather::extractSchema(\"/data/quotes.feather\")"},
                 kReads);
    registry.add("feather::save(table, filePath, [compressMethod=`lz4], [compressionLevel=1])", saveKernel,
                 {.summary = "Writes a table in memory to a Feather file, which is one of Arrow's IPC format.",
                  .parameters = "table: a table in memory\n"
                                "filePath: replaced as a whole when the new file is there\n"
                                "compressMethod: uncompressed, lz4 or zstd\n"
                                "compressionLevel: of zstd, from 1 to 19",
                  .nulls = "NULL and the empty string are written as missing values.",
                  .errors = "A column is of a type that Arrow has no counterpart of, such as ANY: nothing is written.",
                  .complexity = "O(cells)",
                  .example = "feather::save(quotes, \"/data/quotes.feather\", `zstd, 2)"});
}

}  // namespace pelorus
