// loadParquet, extractParquetSchema, saveParquet: tables from and to Parquet files.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "common/error.h"
#include "common/thread/thread_pool.h"
#include "runtime/function/file_access.h"
#include "runtime/function/principal.h"
#include "runtime/function/progress.h"
#include "runtime/parquet/parquet_file.h"
#include "runtime/parquet/parquet_selection.h"
#include "runtime/parquet/parquet_writer.h"
#include "runtime/table/stored_table.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

constexpr int64_t kMaxRowGroupRows = int64_t{1} << 24;

Value loadParquetKernel(Context& context, Arguments arguments) {
    const ParquetSelection selection(context, {arguments[0], arguments[1], arguments[2], arguments[3], arguments[4]});
    return Value::of(Ref<Table>(selection.load(0, selection.rowGroupCount(), context)));
}

Value extractSchemaKernel(Context& context, Arguments arguments) {
    if (!arguments[0].isString()) throw UserError(0, "fileName must be the name of a Parquet file.");
    const Ref<ParquetTable> table = ParquetTable::open(context, std::string(arguments[0].string()));
    std::vector<std::string> names, types;
    for (const ColumnSchema& column : table->columns()) {
        names.push_back(column.name);
        types.push_back(typeString(column.type, column.scale));
    }
    return Value::of(Ref<Table>(makeRef<MemoryTable>(
        std::vector<std::string>{"name", "type"},
        std::vector<Value>{Value::of(Vector::ofStrings(names)), Value::of(Vector::ofStrings(types))})));
}

ParquetWriter::Options optionsFrom(const Value& compression, const Value& rowGroupSize, const Value& sortColumns,
                                   const Value& bloomFilterColumns, const Table& table) {
    constexpr std::array<std::string_view, 5> kMethods = {"none", "snappy", "gzip", "lz4", "zstd"};
    ParquetWriter::Options options;
    if (!compression.isVoid()) {
        std::string method = compression.isString() ? std::string(compression.string()) : "?";
        std::transform(method.begin(), method.end(), method.begin(), [](unsigned char c) { return std::tolower(c); });
        if (method == "uncompressed" || method.empty()) method = "none";
        if (std::find(kMethods.begin(), kMethods.end(), method) == kMethods.end())
            throw UserError(2, "compressMethod must be none, snappy, gzip, lz4 or zstd.");
        options.compression = method;
    }
    if (!rowGroupSize.isVoid()) {
        if (!rowGroupSize.isNumber() || rowGroupSize.isNull() || rowGroupSize.asLong() < 1 ||
            rowGroupSize.asLong() > kMaxRowGroupRows)
            throw UserError(3, fmt::format("rowGroupSize must be a number of rows from 1 to {}.", kMaxRowGroupRows));
        options.rowGroupRows = rowGroupSize.asLong();
    }
    for (int64_t i = 0; !sortColumns.isVoid() && i < sortColumns.size(); ++i) {
        const Value name = sortColumns.at(i);
        const int column = name.isString() ? table.findColumn(name.string()) : -1;
        if (column < 0) throw UserError(4, "sortColumns must have names of columns of the table.");
        options.sortColumns.push_back(column);
    }
    for (int64_t i = 0; !bloomFilterColumns.isVoid() && i < bloomFilterColumns.size(); ++i) {
        const Value name = bloomFilterColumns.at(i);
        const int column = name.isString() ? table.findColumn(name.string()) : -1;
        if (column < 0) throw UserError(5, "bloomFilterColumns must have names of columns of the table.");
        const Type type = table.columns()[static_cast<size_t>(column)].type;
        if (type == Type::Bool || isArrayType(type)) {
            throw UserError(5, fmt::format("bloomFilterColumns has {}, a column of type {}, of which files have no "
                                           "Bloom filters.",
                                           name.string(), typeString(type, 0)));
        }
        options.filterColumns.push_back(column);
    }
    return options;
}

// Writes the rows of a partition, block by block.
void writePartition(const PartitionReader& reader, const TableSchema& schema, ParquetWriter& writer,
                    const Context& context, ProgressPhase& progress) {
    for (int block = 0; block < reader.blockCount(); ++block) {
        context.checkCancelled();
        std::vector<std::string> names;
        std::vector<Value> columns;
        for (size_t c = 0; c < schema.size(); ++c) {
            names.push_back(schema[c].name);
            columns.push_back(reader.read(block, static_cast<int>(c)));
        }
        const auto rows = makeRef<MemoryTable>(std::move(names), std::move(columns));
        writer.append(rows);
        progress.add(rows->rowCount());
    }
}

// Returns the name of a partition's file below the folder: /TAQ/20240102/A_D is 20240102_A_D.parquet.
std::string fileOfPartition(const PartitionEntry& partition) {
    std::string name = partition.path;
    if (name.starts_with('/')) name.erase(0, 1);
    if (const size_t slash = name.find('/'); slash != std::string::npos) name.erase(0, slash + 1);
    std::replace(name.begin(), name.end(), '/', '_');
    return name + ".parquet";
}

// The key of a file's metadata that says of which partition, at which moment, it has the rows.
constexpr const char* kPartitionKey = "pelorus.partition";

// Returns whether a file is there whole, and says this of itself.
bool isWritten(UserFiles& files, const std::string& path, const std::string& partition) {
    if (!files.exists(path)) return false;
    try {
        const parquet_file::ParquetFile file(files.openForRead(path));
        return file.metadata(kPartitionKey) == partition;
    } catch (const SystemError&) {
        return false;  // something else of that name, which is replaced
    }
}

// Returns what a file of the partition says of itself; empty for tables in memory, whose rows have no moments.
std::string momentOf(const PartitionedTable& table, const TableSnapshot& snapshot, const PartitionEntry& partition,
                     const ParquetWriter::Options& options) {
    if (table.databasePath().empty() || snapshot.number() == 0) return "";
    std::string sorted;
    for (const int column : options.sortColumns) sorted += fmt::format(",{}", column);
    for (const int column : options.filterColumns) sorted += fmt::format(";{}", column);
    return fmt::format("{}/{}{}@{} {} {}{}", table.databasePath(), table.name, partition.path, snapshot.number(),
                       options.compression, options.rowGroupRows, sorted);
}

// Writes a file for each partition, on all threads. A file takes its name when it is whole, so that a call after one
// that did not end skips what that one wrote, unless rows were stored meanwhile.
void saveEachPartition(const PartitionedTable& table, TableSnapshot& snapshot, const std::string& path,
                       const ParquetWriter::Options& options, const Context& context, ProgressPhase& progress) {
    UserFiles& files = userFiles(context);
    parquet_file::library();  // its absence is told once, and not by some thread
    files.makeFolder(path);
    parallelFor(static_cast<int64_t>(snapshot.partitions().size()), [&](int64_t i) {
        const auto p = static_cast<size_t>(i);
        const PartitionEntry& partition = snapshot.partitions()[p];
        const auto reader = snapshot.open(p);
        if (reader->rowCount() == 0) return;
        const std::string file = joinPath(path, fileOfPartition(partition));
        const std::string moment = momentOf(table, snapshot, partition, options);
        if (!moment.empty() && isWritten(files, file, moment)) return progress.add(reader->rowCount());
        ParquetWriter::Options own = options;
        if (!moment.empty()) own.metadata.emplace_back(kPartitionKey, moment);
        ParquetWriter writer(files, file, table.columns(), own);
        writePartition(*reader, table.columns(), writer, context, progress);
        writer.finish();
    });
}

void savePartitions(const PartitionedTable& table, const std::string& path, const ParquetWriter::Options& options,
                    Context& context) {
    UserFiles& files = userFiles(context);
    const auto snapshot = table.snapshot(context.principal());
    ProgressPhase progress(context.request->progress, "saveParquet", ProgressUnit::Rows, table.rowCount());
    const bool isFolder = !path.ends_with(".parquet");
    if (!isFolder) {
        ParquetWriter writer(files, path, table.columns(), options);
        for (size_t p = 0; p < snapshot->partitions().size(); ++p)
            writePartition(*snapshot->open(p), table.columns(), writer, context, progress);
        writer.finish();
        return;
    }
    saveEachPartition(table, *snapshot, path, options, context, progress);
}

Value saveParquetKernel(Context& context, Arguments arguments) {
    if (arguments[0].type() == Type::Code)
        arguments[0] = FunctionRegistry::instance().get("eval").call(context, arguments.first(1));
    if (!arguments[0].isTable()) throw UserError(0, "table must be a table, or the metacode of a query.");
    if (!arguments[1].isString() || arguments[1].string().empty())
        throw UserError(1, "fileName must be the name of a file.");
    const Table& table = arguments[0].table();
    const ParquetWriter::Options options = optionsFrom(arguments[2], arguments[3], arguments[4], arguments[5], table);
    const std::string path = userFiles(context).resolve(std::string(arguments[1].string()));
    if (PartitionedTable* partitioned = arguments[0].table().asPartitioned()) {
        savePartitions(*partitioned, path, options, context);
        return {};
    }
    const Ref<MemoryTable> rows = tableToRead(arguments[0]);
    if (!rows) throw UserError(0, "table must be a table with rows.");
    ParquetWriter writer(userFiles(context), path, rows->columns(), options);
    ProgressPhase progress(context.request->progress, "saveParquet", ProgressUnit::Rows, rows->rowCount());
    writer.append(rows);
    writer.finish();
    progress.add(rows->rowCount());
    return {};
}

}  // namespace

void registerParquetFiles(FunctionRegistry& registry) {
    FunctionDoc load = {
        .summary = "Reads a Parquet file, or all that a pattern names, into a table in memory.",
        .parameters =
            "fileName: a path, in which * stands for any characters of a name and ** for folders; keys in the names of "
            "folders, as in year=2024, are columns\n"
            "schema: a table of the columns name and type, one row for each column: what they shall be called and be "
            "converted to\n"
            "columnsToLoad: positions from 0, or names; all when omitted\n"
            "startRowGroup: the first row group that is read, from 0\n"
            "rowGroupNum: how many row groups are read; all that follow when omitted",
        .nulls = "Missing values are NULL, and so are NaN and the empty list; times of a time zone are UTC.",
        .errors =
            "A file is absent, damaged, encrypted, or changes meanwhile: the error names it, the row group and "
            "the column. A column has structs, maps or lists of strings. Files of a pattern have different "
            "columns.",
        .complexity = "O(values that are read), on all threads",
        .example =
            "trades = loadParquet(\"/data/trades.parquet\")\n"
            "loadParquet(\"/data/year=2024/**/*.parquet\", , `date`price)"};
    registry.add("loadParquet(fileName, [schema], [columnsToLoad], [startRowGroup=0], [rowGroupNum])",
                 loadParquetKernel, load, kReads);
    registry.alias("parquet::loadParquet", "loadParquet");
    registry.alias("ploadParquet", "loadParquet");
    registry.add("extractParquetSchema(fileName)", extractSchemaKernel,
                 {.summary = "Names and types of the columns of a Parquet file, as a table of name and type.",
                  .parameters = "fileName: a path or pattern, as that of loadParquet",
                  .errors = "The file is absent or no Parquet file.",
                  .example = "extractParquetSchema(\"/data/trades.parquet\")"},
                 kReads);
    registry.alias("parquet::extractParquetSchema", "extractParquetSchema");
    registry.alias("parquet::getSchema", "extractParquetSchema");
    registry.add(
        "saveParquet(table, fileName, [compressMethod=`snappy], [rowGroupSize=1048576], [sortColumns], "
        "[bloomFilterColumns])",
        saveParquetKernel,
        {.summary = "Writes a table, or what the metacode of a query gives, to a Parquet file.",
         .parameters =
             "table: a partitioned table is written block by block; to a fileName that does not end in "
             ".parquet one file for each partition, in the folder of that name, by all threads; a call after one "
             "that was cancelled skips the files that it wrote, unless rows were stored meanwhile\n"
             "fileName: replaced as a whole when the new file is there\n"
             "compressMethod: none, snappy, gzip, lz4 or zstd\n"
             "rowGroupSize: rows of a row group, 16777216 at most\n"
             "sortColumns: names of columns by which the rows are in order already, which the file says\n"
             "bloomFilterColumns: names of columns by whose values rows are looked up, such as order ids: a filter "
             "in each row group lets queries pass over those that do not have the value; 1 to 2 bytes a row",
         .nulls = "NULL and the empty string are written as missing values.",
         .errors = "A column is of a type that no Parquet file can hold, such as ANY: nothing is written.",
         .complexity = "O(cells)",
         .example = "saveParquet(trades, \"/data/trades.parquet\", `zstd)"});
    registry.alias("parquet::saveParquet", "saveParquet");
}

}  // namespace pelorus
