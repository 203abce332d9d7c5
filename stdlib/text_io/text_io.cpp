// loadText, ploadText, extractTextSchema, saveText: tables in memory from and to text files.
#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "common/io/packed_file.h"
#include "presentation/import/line_ends.h"
#include "presentation/import/odd_bytes.h"
#include "presentation/import/text_arguments.h"
#include "presentation/import/text_blocks.h"
#include "presentation/import/text_import.h"
#include "runtime/function/file_access.h"
#include "runtime/function/principal.h"
#include "runtime/function/progress.h"
#include "runtime/serialize/received.h"
#include "runtime/text/field_ends.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/vector.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

using namespace text;

Value loadTextKernel(Context& context, Arguments arguments) {
    const std::string path = fileFrom(arguments[0], 0);
    TextOptions options = optionsFrom(arguments[1], 1, arguments[3], 3, arguments[5]);
    takeArrayOptions(options, arguments[4], 4, arguments[6], 6);
    TextImport import(context, path, options, arguments[2], 2);
    Ref<MemoryTable> rows = import.readAll();
    import.tell();
    return Value::of(Ref<Table>(std::move(rows)));
}

Value extractTextSchemaKernel(Context& context, Arguments arguments) {
    TextOptions options = optionsFrom(arguments[1], 1, arguments[2], 2, arguments[5]);
    takeArrayOptions(options, arguments[3], 3, arguments[4], 4);
    const TextBlocks blocks(openTextFile(userFiles(context), fileFrom(arguments[0], 0)), options);
    std::vector<std::string> names, types;
    for (const TextColumn& column : blocks.detectSchema()) {
        names.push_back(column.name);
        types.emplace_back(typeName(column.type));
    }
    return Value::of(Ref<Table>(makeRef<MemoryTable>(
        std::vector<std::string>{"name", "type"},
        std::vector<Value>{Value::of(Vector::ofStrings(names)), Value::of(Vector::ofStrings(types))})));
}

Value optionOf(const Value& options, const char* name) {
    return options.isDictionary() ? options.dictionary().get(Value::ofString(name)) : Value();
}

TextOptions chunkOptions(const Value& options) {
    TextOptions result = optionsFrom(optionOf(options, "delimiter"), 2, optionOf(options, "skipRows"), 2,
                                     optionOf(options, "containHeader"));
    takeArrayOptions(result, optionOf(options, "arrayDelimiter"), 5, optionOf(options, "arrayMarker"), 7);
    return result;
}

// Returns the ends of chunks of about `chunkBytes`, cut at lines, the options with the schema that holds for all of
// them, and the number of the first line of each.
Value cutTextFileKernel(Context& context, Arguments arguments) {
    const TextOptions options = chunkOptions(arguments[2]);
    TextBlocks blocks(openTextFile(userFiles(context), fileFrom(arguments[0], 0)), options,
                      static_cast<size_t>(arguments[1].asLong()));
    const Value given = optionOf(arguments[2], "schema");
    const TextSchema schema = given.isVoid() ? blocks.detectSchema() : schemaFrom(given, 2, blocks.head());
    std::vector<int64_t> ends{static_cast<int64_t>(blocks.head().rowsBegin)};
    std::vector<int64_t> firstLines{blocks.head().firstLine};
    for (TextBlock block; blocks.next(block);) {
        ends.push_back(ends.back() + static_cast<int64_t>(block.lines.size()));
        firstLines.push_back(firstLines.back() + countLineFeeds(block.lines));
    }
    std::vector<std::string> names, types, formats;
    std::vector<int32_t> fields;
    for (const TextColumn& column : schema) {
        names.push_back(column.name);
        types.emplace_back(typeName(column.type));
        formats.push_back(column.format);
        fields.push_back(column.field);
    }
    auto complete = arguments[2].dictionary().copy();
    const char delimiter = blocks.options().delimiter;
    complete->set(Value::ofString("delimiter"), Value::ofString({&delimiter, 1}));
    complete->set(
        Value::ofString("schema"),
        Value::of(Ref<Table>(makeRef<MemoryTable>(
            std::vector<std::string>{"name", "type", "format", "col"},
            std::vector<Value>{Value::of(Vector::ofStrings(names)), Value::of(Vector::ofStrings(types)),
                               Value::of(Vector::ofStrings(formats)), Value::of(Vector::of(Type::Int, fields))}))));
    return Value::of(makeRef<Tuple>(std::vector<Value>{Value::of(Vector::of(Type::Long, ends)), Value::of(complete),
                                                       Value::of(Vector::of(Type::Long, firstLines))}));
}

// Returns the rows of a chunk; the options contain the number of its first line.
Value loadTextChunkKernel(Context& context, Arguments arguments) {
    const std::string path = fileFrom(arguments[0], 0);
    const TextOptions options = chunkOptions(arguments[3]);
    const int64_t begin = received::integer(arguments[1], "piece of a file");
    const int64_t end = received::integer(arguments[2], "piece of a file");
    received::require(begin >= 0 && end >= begin, "piece of a file");
    const Value line = optionOf(arguments[3], "firstLine");
    const int64_t firstLine = line.isVoid() ? 1 : received::integer(line, "piece of a file");
    const auto file = openTextFile(userFiles(context), path);
    std::string lines(static_cast<size_t>(std::max<int64_t>(0, std::min<int64_t>(end, file->size()) - begin)), '\0');
    lines.resize(file->readAt(begin, lines.data(), lines.size()));
    const TextSchema schema = schemaFrom(optionOf(arguments[3], "schema"), 3, TextHead{});
    endLinesWithFeeds(lines.data(), lines.size(), options.delimiter, 0, true);
    quoteArrays(lines.data(), lines.size(), options);
    TextReport report;
    Ref<MemoryTable> rows = parseLines(lines, schema, options, firstLine, report);
    findOddBytes(lines, schema, options.delimiter, firstLine, report);
    tellOrPrint(context, importLosses({.path = path, .schema = schema, .report = report}));
    return Value::of(Ref<Table>(rows));
}

// A table block by block, so that a partitioned one need not fit into memory.
template <class F>
void forEachBlock(const Principal& who, const Value& object, F&& f) {
    if (PartitionedTable* partitioned = object.isTable() ? object.table().asPartitioned() : nullptr) {
        const auto snapshot = partitioned->snapshot(who);
        for (size_t p = 0; p < snapshot->partitions().size(); ++p) {
            const auto reader = snapshot->open(p);
            for (int block = 0; block < reader->blockCount(); ++block) {
                std::vector<std::string> names;
                std::vector<Value> columns;
                for (int c = 0; c < partitioned->columnCount(); ++c) {
                    names.push_back(partitioned->columns()[static_cast<size_t>(c)].name);
                    columns.push_back(reader->read(block, c));
                }
                f(MemoryTable(std::move(names), std::move(columns)));
            }
        }
        return;
    }
    if (object.isTable()) {
        constexpr int64_t kRows = 65536;
        const Ref<MemoryTable> table = tableToRead(object);
        if (!table) throw UserError(0, "This table has no rows of its own.", "Save a query of it: select * from it.");
        for (int64_t begin = 0; begin < table->rowCount(); begin += kRows) {
            f(*table->slice(begin, std::min(kRows, table->rowCount() - begin)));
        }
        return;
    }
    if (object.isMatrix()) {
        MemoryTable columns;
        for (int64_t c = 0; c < object.matrix().columns; ++c) {
            columns.setColumn("C" + std::to_string(c), Value::of(object.matrix().column(c)));
        }
        return f(columns);
    }
    if (object.isVector()) {
        MemoryTable column;
        column.setColumn("C0", object);
        return f(column);
    }
    throw UserError(0, "obj must be a table, matrix or vector.");
}

int64_t rowsToSave(const Value& object) {
    if (object.isTable()) return object.table().rowCount();
    return object.isMatrix() ? object.matrix().rows : object.size();
}

Value saveTextKernel(Context& context, Arguments arguments) {
    const std::string path = userFiles(context).resolve(fileFrom(arguments[1], 1));
    const char delimiter = delimiterFrom(arguments[2], 2);
    const bool append = !arguments[3].isVoid() && arguments[3].integer() != 0;
    const bool header = arguments[4].isVoid() || arguments[4].integer() != 0;
    const bool mark = !arguments[5].isVoid() && !arguments[5].isNull();
    UserFiles& files = userFiles(context);
    if (arguments[0].type() == Type::Code) {
        arguments[0] = FunctionRegistry::instance().get("eval").call(context, arguments.first(1));
    }
    // Checks that the object can be written before it truncates an existing file.
    if (!arguments[0].isTable() && !arguments[0].isMatrix() && !arguments[0].isVector()) {
        throw UserError(0, "obj must be a table, matrix, vector or the metacode of a query.");
    }
    const std::unique_ptr<File> file = append && files.exists(path) ? files.openForAppend(path) : files.create(path);
    std::string bytes;
    if (file->size() == 0) {
        if (mark) bytes += "\xEF\xBB\xBF";
        if (header && arguments[0].isTable()) writeHeader(arguments[0].table().columns(), delimiter, bytes);
    }
    ProgressPhase progress(context.request->progress, "saveText", ProgressUnit::Rows, rowsToSave(arguments[0]));
    forEachBlock(context.principal(), arguments[0], [&](const MemoryTable& rows) {
        context.checkCancelled();
        writeLines(rows, delimiter, bytes);
        file->append(bytes);
        bytes.clear();
        progress.add(rows.rowCount());
    });
    file->append(bytes);
    return {};
}

// generateTextFromTable(table, offset, length, partition, delimiter, header)
Value generateTextKernel(Context& context, Arguments arguments) {
    if (!arguments[0].isTable()) throw UserError(0, "table must be a table.");
    const Ref<MemoryTable> table = tableToRead(arguments[0]);
    if (!table)
        throw UserError(0, "The rows of a partitioned table have no positions.", "Give select top n * from it.");
    const auto number = [&](size_t i, const char* name) {
        const Value& v = arguments[i];
        if (!v.isNumber() || !v.isScalar() || v.isNull() || v.asLong() < 0)
            throw UserError(static_cast<int>(i), std::string(name) + " must be a number that is not negative.");
        return v.asLong();
    };
    const int64_t offset = std::min(number(1, "offset"), table->rowCount());
    const int64_t length = std::min(number(2, "length"), table->rowCount() - offset);
    if (number(3, "partition") != 0) throw UserError(3, "partition must be 0: a table in memory has one.");
    const char delimiter = delimiterFrom(arguments[4], 4);
    const bool header = arguments[5].isVoid() || (arguments[5].isScalar() && arguments[5].asLong() != 0);
    std::string bytes;
    if (header) writeHeader(table->columns(), delimiter, bytes);
    constexpr int64_t kRows = 65536;
    for (int64_t begin = offset; begin < offset + length; begin += kRows) {
        context.checkCancelled();
        writeLines(*table->slice(begin, std::min(kRows, offset + length - begin)), delimiter, bytes);
    }
    Ref<Vector> chars = Vector::make(Type::Char, static_cast<int64_t>(bytes.size()));
    if (!bytes.empty()) std::memcpy(chars->mutableRaw(), bytes.data(), bytes.size());
    return Value::of(std::move(chars));
}

}  // namespace

void registerTextIo(FunctionRegistry& registry) {
    FunctionDoc doc = {
        .summary =
            "Reads a delimited text file, or the one that a .gz file or .zip archive holds, into a table in memory.",
        .parameters =
            "filename: the path of the file\n"
            "delimiter: a comma when omitted, or what each of the first lines has equally many of where none has a "
            "comma: "
            "tabs, semicolons or bars\n"
            "schema: a table with the columns name and type, and optionally format (of dates and times) and col "
            "(which fields)\nskipRows: lines left out at the beginning\ncontainHeader: whether the first line has "
            "the names; detected when omitted\narrayDelimiter: between the elements of an array vector, whose type "
            "stands "
            "in "
            "schema\narrayMarker: what stands around them instead of quotes, as \"[]\"",
        .nulls =
            "Empty and missing fields are NULL, and so is what a type cannot read. What was changed or could not be "
            "read is told at a console, with lines and fields.",
        .errors = "The file cannot be read, or the schema does not fit it.",
        .example =
            "quotes = loadText(\"/data/quotes.csv\")\n"
            "loadText(\"/data/quotes.csv\", , table(`date`sym`bid as name, `DATE`SYMBOL`DOUBLE as type, 0 2 3 as "
            "col))"};
    registry.add(
        "loadText(filename, [delimiter], [schema], [skipRows=0], [arrayDelimiter], [containHeader], [arrayMarker])",
        loadTextKernel, doc, kReads);
    doc.example = "quotes = ploadText(\"/data/quotes.csv\")";
    registry.add(
        "ploadText(filename, [delimiter], [schema], [skipRows=0], [arrayDelimiter], [containHeader], [arrayMarker])",
        loadTextKernel, doc, kReads);
    registry.add(
        "cutTextFile(filename, chunkBytes, options)", cutTextFileKernel,
        {.summary =
             "For textChunkDS: where a text file is cut into pieces of whole lines, and the options with its schema."},
        kForNodes);
    registry.add("loadTextChunk(filename, begin, end, options)", loadTextChunkKernel,
                 {.summary = "For textChunkDS: the rows of a piece of a text file."}, kForNodes);
    registry.add(
        "extractTextSchema(filename, [delimiter], [skipRows=0], [arrayDelimiter], [arrayMarker], [containHeader])",
        extractTextSchemaKernel,
        {.summary = "Names and types that loadText would give to the columns of a file, as a table of name and type.",
         .parameters = "filename: the path of a text file\n"
                       "delimiter: between fields; found as by loadText when omitted\n"
                       "skipRows: lines left out at the beginning\n"
                       "arrayDelimiter: between the elements of an array vector\n"
                       "arrayMarker: what stands around these instead of quotes, as \"[]\"\n"
                       "containHeader: whether the first line has the names; detected when omitted",
         .example = "extractTextSchema(\"/data/quotes.csv\")"},
        kReads);
    registry.add("generateTextFromTable(table, offset, length, partition, [delimiter], [header=true])",
                 generateTextKernel,
                 {.summary = "Rows of a table as delimited text, in a CHAR vector: what editors export.",
                  .parameters = "offset, length: which rows\npartition: 0\ndelimiter: a comma unless given",
                  .nulls = "NULL is written as an empty field.",
                  .errors = "The table is partitioned, or offset, length or partition is no such number.",
                  .example = "size(generateTextFromTable(table(1 2 as a), 0, 1, 0)) -> 4"},
                 {.effect = Effect::Pure, .facet = Facet::Public});
    registry.add(
        "saveText(obj, filename, [delimiter], [append=false], [header=true], [bom])", saveTextKernel,
        {.summary = "Writes a table, matrix, vector or what the metacode of a query gives to a delimited text file.",
         .parameters = "obj: a table, matrix or vector, or metacode of a query\n"
                       "filename: the path of the file\n"
                       "delimiter: a comma unless given\n"
                       "append: true writes behind what the file has, false replaces it\n"
                       "header: true writes the names of the columns first\n"
                       "bom: \"UTF-8\" puts that mark in front",
         .nulls = "NULL is written as an empty field.",
         .example = "saveText(<select * from loadTable(\"dfs://TAQ\", \"trades\") where date = 2024.01.02>, "
                    "\"/data/trades.csv\")"});
}

}  // namespace pelorus
