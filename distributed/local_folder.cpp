#include "distributed/local_folder.h"

#include <fmt/format.h>

#include <mutex>

#include "common/error.h"
#include "common/file.h"
#include "distributed/builtins_database.h"
#include "distributed/database_handle.h"
#include "runtime/kernel/cast.h"
#include "storage/table_file.h"

namespace pelorus {

namespace {

std::string fileOf(const std::string& folder, const std::string& name) {
    return joinPath(folder, name + ".tbl");
}

MemoryTable& memoryTable(const Value& value, int argument) {
    auto* table = value.isTable() ? dynamic_cast<MemoryTable*>(&value.table()) : nullptr;
    if (table == nullptr) throw UserError(argument, "table must be a table in memory.");
    return *table;
}

// saveTable(dbHandle, table, [tableName], [append=false], [compression=false])
Value saveTableKernel(Context&, Arguments arguments) {
    const std::string folder = databasePath(arguments[0], 0);
    if (!isFolderPath(folder)) {
        throw UserError(0, fmt::format("saveTable writes into a plain folder, but the database is {}.", folder),
                        "Make a table there with createPartitionedTable, and append the rows.");
    }
    MemoryTable& given = memoryTable(arguments[1], 1);
    const bool isNamed = !arguments[2].isVoid();
    if (!isNamed && given.name.empty()) throw UserError(2, "tableName is missing: the table has no name of its own.");
    const std::string name = isNamed ? nameArgument(arguments[2], 2, "tableName") : given.name;
    std::unique_lock<std::recursive_mutex> lock;
    if (given.lock) lock = std::unique_lock(*given.lock);
    const bool append = !arguments[3].isVoid() && isTrue(arguments[3]) && folderHasTable(folder, name);
    Ref<MemoryTable> rows(&given);
    if (append) {
        rows = loadFolderTable(folder, name);
        rows->append(given);
    }
    FileSystem& files = FileSystem::posix();
    files.makeFolder(folder);
    writeTableFile(files, fileOf(folder, name), *rows);
    return {};
}

// Several sessions may change such a table at once: its calls take turns.
Ref<MemoryTable> shared(Ref<MemoryTable> table) {
    table->lock = std::make_shared<std::recursive_mutex>();
    return table;
}

// mvccTable(X, X1...), mvccTable(capacity:size, colNames, colTypes, [path], [tableName])
Value mvccTableKernel(Context& context, Arguments arguments) {
    if (arguments.empty()) throw UserError("mvccTable needs at least one column.");
    std::vector<Value> columns(arguments.begin(), arguments.end());
    if (arguments[0].isPair() && arguments.size() > 3) {
        if (!arguments[3].isVoid() && !(arguments[3].isDictionary())) {
            throw UserError(3, "A multi-version table is not kept on disk.",
                            "Leave path out; saveTable writes its rows, and loadMvccTable reads them.");
        }
        columns.resize(3);
    }
    const Value table = FunctionRegistry::instance().get("table").call(context, columns);
    return Value::of(Ref<Table>(shared(Ref<MemoryTable>(&memoryTable(table, 0)))));
}

Value loadMvccTableKernel(Context&, Arguments arguments) {
    const std::string folder = databasePath(arguments[0], 0);
    return Value::of(Ref<Table>(shared(loadFolderTable(folder, nameArgument(arguments[1], 1, "tableName")))));
}

Value noOltpEngine(Context&, Arguments) {
    throw UserError(
        "There is no OLTP engine here.",
        "A shared keyedTable or indexedTable takes and gives rows by key; transaction { } changes several.");
}

Value noStreamGraphs(Context&, Arguments) {
    throw UserError("There are no stream graphs, engines or stream tables to rename.",
                    "renameCatalog and renameSchema rename what a catalog holds.");
}

}  // namespace

bool isFolderPath(const std::string& path) {
    return path.find('/') != std::string::npos && path.find("://") == std::string::npos;
}

bool folderHasTable(const std::string& folder, const std::string& name) {
    return FileSystem::posix().exists(fileOf(folder, name));
}

static void requireTable(const std::string& folder, const std::string& name) {
    if (folderHasTable(folder, name)) return;
    throw UserError(fmt::format("The folder {} has no table {}.", folder, name), "saveTable writes one.");
}

Ref<MemoryTable> loadFolderTable(const std::string& folder, const std::string& name) {
    requireTable(folder, name);
    Ref<MemoryTable> table = readTableFile(FileSystem::posix(), fileOf(folder, name));
    table->name = name;
    return table;
}

void dropFolderTable(const std::string& folder, const std::string& name) {
    requireTable(folder, name);
    FileSystem::posix().remove(fileOf(folder, name));
}

void registerLocalFolders(FunctionRegistry& registry) {
    registry.add("saveTable(dbHandle, table, [tableName], [append=false], [compression=false])", saveTableKernel,
                 {.summary = "Writes a table in memory into a plain folder, which database(folder) names; loadTable "
                             "reads it into memory.",
                  .parameters = "append: behind the rows that the folder's table has\n"
                                "compression: taken; the file is always compressed",
                  .errors = "dbHandle is a partitioned database, or a column's type cannot be stored."});
    registry.add(
        "mvccTable(X, X1...)", mvccTableKernel,
        {.summary = "A table in memory, made as table() makes it, that several sessions may read and change at "
                    "once.",
         .errors = "A path is given: its rows are not kept on disk.",
         .example = "t = mvccTable(1 2 as id, `a`b as s); insert into t values(3, `c); exec id from t -> "
                    "[1,2,3]"});
    registry.add("loadMvccTable(path, tableName)", loadMvccTableKernel,
                 {.summary = "A table that saveTable wrote into a folder, as a mvccTable.",
                  .errors = "The folder has no such table, or its file is damaged."});
    registry.add("createIMOLTPTable(dbHandle, table, tableName, primaryKey, [secondaryKey], [uniqueFlag])",
                 noOltpEngine, {.summary = "Not there: an error.", .errors = "Always."});
    registry.add("renameCatalogName(catalog, schema, oldName, newName)", noStreamGraphs,
                 {.summary = "Not there: an error.", .errors = "Always."});
}

}  // namespace pelorus
